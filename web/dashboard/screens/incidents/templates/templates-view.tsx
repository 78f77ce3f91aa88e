import { useAddress } from '../../../address/use-address.js';
import { NewTemplate, SavedTemplate } from './template-editor.js';
import { TemplateList } from './template-list.js';

/**
 * The templates of the page: a list, and the editor of one. The address says what is drawn: `?view=templates`, with
 * `&template=SLUG` the editor of that one, with `&new=template` one that does not exist yet.
 */
export function TemplatesView() {
  const { template, new: kind } = useAddress().query;
  if (kind === 'template') return <NewTemplate />;
  return template === undefined ? <TemplateList /> : <SavedTemplate key={template} slug={template} />;
}
