export { deleteTemplate } from './delete-template.js';
export { parseTemplate } from './parse-template.js';
export { type PutTemplate, putTemplate } from './put-template.js';
export { findTemplate, listTemplates, type Template, type TemplateFields, templateJson } from './template.js';
