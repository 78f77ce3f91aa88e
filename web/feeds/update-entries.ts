import type { ShownIncident } from '../../contract/public/status-page.js';
import { drawText } from '../markdown/draw-text.js';
import { toOneLine } from '../markdown/plain-text.js';
import type { ViewTexts } from '../texts/areas.js';

/** An entry of any format. All texts are plain except `html`. */
export type Entry = {
  id: string;
  url: string;
  title: string;
  latest: string;
  html: string;
  published: Date;
  updated: Date;
};

type Words = {
  url: string;
  texts: ViewTexts;
  /** When the feed is drawn, in milliseconds since 1970. */
  now: number;
  /** A text in the language of the feed; null where a feed has no room for it. */
  textOf(texts: ShownIncident['summary']): string;
};

/**
 * An entry for each thing that an incident said: that it began, its updates, that it is over where no update says so, and
 * its postmortem. Readers of RSS show an entry once, so only an entry of its own reaches them.
 */
export function updateEntries(incident: ShownIncident, { url, texts, now, textOf }: Words): Entry[] {
  const { id, title, type, summary, publishedAt, resolvedAt, updates, postmortem } = incident;
  const entryOf = (said: { id: string; at: string; what: string; text: string }): Entry => ({
    ...{ id: said.id, url, title: `${textOf(title)} · ${said.what}` },
    ...{ latest: toOneLine(said.text), html: drawText({ text: said.text }) },
    ...{ published: new Date(said.at), updated: new Date(said.at) },
  });
  const entries = [
    entryOf({ id, at: publishedAt, what: texts.type[type], text: textOf(summary) }),
    ...updates.map((update) => {
      const what = texts.updateStatus[update.status];
      return entryOf({ id: update.id, at: update.createdAt, what, text: textOf(update.body) });
    }),
  ];
  const saysSo = updates.some(({ status }) => status === 'resolved');
  // A maintenance that is called off ends at its planned start.
  if (resolvedAt !== null && !saysSo && Date.parse(resolvedAt) <= now) {
    const at = new Date(Math.max(Date.parse(resolvedAt), Date.parse(publishedAt))).toISOString();
    entries.push(entryOf({ id: `${id}#resolved`, at, what: texts.updateStatus.resolved, text: '' }));
  }
  if (postmortem !== undefined) {
    const said = { at: postmortem.publishedAt, text: textOf(postmortem.body) };
    entries.push(entryOf({ id: `${id}#postmortem`, what: texts.postmortem, ...said }));
  }
  return entries;
}
