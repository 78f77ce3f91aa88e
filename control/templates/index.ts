export { deleteTemplate, type PutTemplate, putTemplate } from './change-template.js';
export { parseTemplate } from './parse-template.js';
export {
  findTemplate,
  listTemplates,
  loadTemplate,
  type Template,
  type TemplateFields,
  templateJson,
} from './template.js';
