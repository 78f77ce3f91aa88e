import { incidentLimits } from '../../../../contract/incidents.js';
import { IncidentPreview, PreviewIncident } from '../../../../contract/manage/incidents/incident-preview.js';
import {
  type DraftedIncident,
  draftIncident,
  type IncidentDraft,
  parseProvidedTexts,
} from '../../../../control/incidents/index.js';
import { loadServiceNames } from '../../../../control/monitors/index.js';
import { brandOf, loadPageById, type Page } from '../../../../control/pages/index.js';
import { previewAnnouncement } from '../../../../control/subscribers/index.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { parseTimestamp } from '../../../../lib/timestamp.js';
import { drawTextsAhead } from '../../../../web/markdown/draw-text.js';
import { textsOfWhole } from '../../../../web/views/incident-text.js';
import { renderIncidentView } from '../../../../web/views/incident-view.js';
import { hangUpSignal } from '../../../hang-up.js';
import { inlinedLogo } from '../../../manage/inlined-logo.js';
import { manageBodyRoute } from '../../../manage/manage-route.js';
import { createPreviewTurns } from '../../../manage/preview-turns.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';
import { found, incidentIdOf } from './answers.js';

type Drawn = { page: Page; language: string; drafted: DraftedIncident; logo: Logo };
type Logo = Awaited<ReturnType<typeof inlinedLogo>>;

/** Previews of an incident that somebody is writing. */
export function incidentPreviewRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const inTurn = createPreviewTurns();
  return [
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/incidents/preview',
      operationId: 'previewIncident',
      summary: 'The page and the email that readers would get; nothing is stored',
      permission: 'incidents.write',
      body: { schema: PreviewIncident, bytesMax: incidentLimits.bodyBytes },
      answers: { 200: IncidentPreview },
      errors: ['invalidBody', 'notFound', 'rateLimited'],
      async manage({ ctx, page: { id }, body: { language, ...body } }) {
        const draft = parseDraft(body);
        const page = await loadPageById(deps.sql, id);
        const { languages, defaultLanguage } = page;
        if (!languages.includes(language)) {
          throw invalid(`/language must be one of the languages of the page: ${languages.join(', ')}.`);
        }
        const [drafted, logo] = await Promise.all([
          draftIncident(deps, { pageId: id, defaultLanguage, language, draft }),
          inlinedLogo(deps, page),
        ]);
        const drawn = { page, language, drafted: found(drafted), logo };
        const [html, mail] = await inTurn(id, hangUpSignal(ctx.res), async () => [
          await drawPage(deps, drawn),
          await drawMail(deps, drawn),
        ]);
        ctx.body = { language, translated: drawn.drafted.translated, page: { html }, mail };
      },
    }),
  ];
}

/** @throws ServiceError `invalidBody` for texts with control characters, and for times that do not exist. */
function parseDraft({
  incidentId,
  startedAt,
  scheduledEndAt,
  texts = {},
  ...body
}: Omit<PreviewIncident, 'language'>): IncidentDraft {
  // A field that is empty yet is not there.
  const written = Object.entries(texts).map(([language, fields]) => [
    language,
    Object.fromEntries(Object.entries(fields).filter(([, text]) => text.trim() !== '')),
  ]);
  return {
    ...{ ...body, ...(incidentId && { incidentId: incidentIdOf({ id: incidentId }) }) },
    ...(startedAt && { startedAt: parseTime('/startedAt', startedAt) }),
    ...(scheduledEndAt !== undefined && {
      scheduledEndAt: scheduledEndAt === null ? null : parseTime('/scheduledEndAt', scheduledEndAt),
    }),
    texts: parseProvidedTexts(Object.fromEntries(written)),
  };
}

function parseTime(at: string, text: string): Date {
  const time = parseTimestamp(text);
  if (Number.isNaN(time)) throw invalid(`${at} must be an ISO-8601 time, such as 2026-01-31T23:00:00Z.`);
  return new Date(time);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}

async function drawPage(deps: ManageRoutesDeps, { page, language, drafted, logo }: Drawn): Promise<string> {
  const brand = { ...brandOf(page, deps.originOf(page.hostname)), ...(logo && { logoPath: logo.url }) };
  const serviceNames = await loadServiceNames(deps, page.id, language);
  const view = { brand, language, now: deps.clock.now(), sendsMail: deps.sendsMail };
  const { entry: incident } = drafted;
  await drawTextsAhead(textsOfWhole(view, incident));
  return renderIncidentView({ ...view, incident, serviceNames }, deps.assets);
}

async function drawMail(deps: ManageRoutesDeps, { page, language, drafted, logo }: Drawn) {
  const { entry, kind, update } = drafted;
  const { name: pageName, logoHash, ...rest } = page;
  const composing = {
    ...{ sql: deps.sql, secretKey: deps.secretKey, originOf: deps.originOf },
    ...{ from: undefined, now: deps.clock.now(), logoUrl: logo?.url },
  };
  return previewAnnouncement(composing, {
    page: { ...rest, pageName, logoHash: logo?.isSvg ? null : logoHash },
    language,
    announcement: { incidentId: entry.id, kind, entry, update, isReminder: false },
  });
}
