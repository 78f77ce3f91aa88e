import type { Template } from '../../../../../contract/manage/incidents/templates.js';
import { useAddress } from '../../../address/use-address.js';
import { showNotice } from '../../../kit/notice.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { readIfStale } from '../../../reads/refusals.js';
import type { Read } from '../../../reads/use-read.js';
import { type Send, useSend } from '../../../reads/use-send.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { templatesTexts } from './texts.js';
import { templatePath } from './use-templates.js';
import { bodyOf, valuesOf } from './values.js';

/** Deletes a template and goes back to the list. The notice brings it back. */
export function useRemoveTemplate(template: Template, read: Read<Template>): Send<[]> {
  const texts = useTexts(templatesTexts);
  const { slug: page } = usePage();
  const { choose, replace } = useAddress();
  const path = templatePath(page, template.slug);
  const restore = (): void => {
    sendJson('PUT', path, bodyOf(valuesOf(template)), { isNew: true }).then(
      () => {
        showNotice(texts.restored({ name: template.name }));
        replace({ view: 'templates', template: template.slug });
      },
      () => showNotice(texts.notRestored, restore),
    );
  };
  return useSend(async () => {
    try {
      await sendJson('DELETE', path, undefined, { ifMatch: read.etag }).catch(readIfStale(read));
    } catch (error) {
      showNotice(texts.notRemoved);
      throw error;
    }
    showNotice(texts.removed({ name: template.name }), restore);
    choose({ template: undefined });
  });
}
