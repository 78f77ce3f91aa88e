import type { Postmortem as ManagedPostmortem } from '../../contract/manage/incidents/postmortems.js';
import type { Postmortem } from './postmortem.js';

/** A postmortem as the management API answers it. */
export function toManagedPostmortem({
  body,
  publishedAt,
  correctedAt,
  texts,
}: Postmortem): ManagedPostmortem {
  return {
    body,
    publishedAt: publishedAt.toISOString(),
    correctedAt: correctedAt?.toISOString() ?? null,
    texts: Object.fromEntries(
      Object.entries(texts).map(([language, { text, byPerson }]) => [
        language,
        { text, translated: byPerson ? ('person' as const) : ('machine' as const) },
      ]),
    ),
  };
}
