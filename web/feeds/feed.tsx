import { Feed } from 'feed';
import { renderToString } from 'preact-render-to-string';
import { isCalledOff } from '../../contract/incidents.js';
import { type PageBrand, type ShownIncident, viewLimits } from '../../contract/public/status-page.js';
import { drawText } from '../markdown/draw-text.js';
import { toOneLine } from '../markdown/plain-text.js';
import { incidentPath, statusPath } from '../page-paths.js';
import type { ViewTexts } from '../texts/areas.js';
import { fillMessage } from '../texts/fill-text.js';
import { type Format, formatIn } from '../texts/format.js';
import { pickText } from '../texts/pick-text.js';
import { textsOf } from '../texts/texts-of.js';
import { endOf } from '../views/incident-parts.js';
import { type Entry, updateEntries } from './update-entries.js';
import { withoutControls } from './xml-text.js';

export const feedFormats = ['rss', 'atom', 'json'] as const;
export type FeedFormat = (typeof feedFormats)[number];

export type FeedView = {
  brand: PageBrand;
  /** One of the page's languages. */
  language: string;
  /** The path of this feed on the page's host. */
  path: string;
  /** Whether each update is an entry, and not each incident. */
  perUpdate: boolean;
  /** The time of the last change while nothing is published. */
  createdAt: Date;
  /** When the feed is drawn, in milliseconds since 1970. */
  now: number;
  incidents: readonly ShownIncident[];
  /** Names of the services in `language`, by slug. */
  serviceNames: Readonly<Record<string, string>>;
};

export const feedMediaTypes: Readonly<Record<FeedFormat, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/**
 * The newest incidents and maintenance of a page, in the order of their publication, or what they said in the order in
 * which it was said; newest first.
 */
export function renderFeed(format: FeedFormat, view: FeedView): string {
  const entries = view.incidents
    .flatMap((incident) =>
      view.perUpdate
        ? updateEntries(incident, { ...wordsOf(view), url: urlOf(view, incident), now: view.now })
        : [toEntry(view, incident)],
    )
    .sort(
      (one, other) => other.published.getTime() - one.published.getTime() || other.id.localeCompare(one.id),
    )
    .slice(0, viewLimits.feedIncidents);
  return format === 'json' ? renderJson(view, entries) : renderXml(format, view, entries);
}

function renderXml(
  format: 'rss' | 'atom',
  { brand, language, path, createdAt }: FeedView,
  entries: Entry[],
): string {
  const home = `${brand.origin}${statusPath(language)}`;
  const feed = new Feed({
    id: home,
    link: home,
    title: asText(titleOf(brand, language)),
    // RSS requires a description as well as a title.
    description: asText(titleOf(brand, language)),
    language,
    feed: `${brand.origin}${path}`,
    author: { name: asText(brand.name) },
    generator: 'Heartline',
    updated: new Date(Math.max(createdAt.getTime(), ...entries.map(({ updated }) => updated.getTime()))),
  });
  for (const { id, url, title, latest, html, published, updated } of entries) {
    feed.addItem({
      // The id of an Atom entry is a URI.
      id: `urn:uuid:${id}`,
      guid: id,
      link: url,
      title: escapeMarkup(title),
      description: escapeMarkup(latest),
      content: endNoCdata(html),
      published,
      date: updated,
    });
  }
  const xml = format === 'rss' ? feed.rss2() : feed.atom1();
  // The library sets no language on Atom; the first element of the document is the feed.
  return withoutControls(titlesAsText(xml).replace('<feed ', `<feed xml:lang="${language}" `));
}

/** JSON Feed 1.1 (https://jsonfeed.org/version/1.1), which has a language; the library writes 1.0, which has none. */
function renderJson({ brand, language, path }: FeedView, entries: Entry[]): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: titleOf(brand, language),
    home_page_url: `${brand.origin}${statusPath(language)}`,
    feed_url: `${brand.origin}${path}`,
    language,
    authors: [{ name: brand.name }],
    items: entries.map(({ id, url, title, latest, html, published, updated }) => ({
      id,
      url,
      title,
      summary: latest,
      content_html: html,
      date_published: published.toISOString(),
      date_modified: updated.toISOString(),
    })),
  });
}

function titleOf({ name }: PageBrand, language: string): string {
  return `${name} · ${textsOf('view', language).history}`;
}

const urlOf = ({ brand, language }: FeedView, { id }: ShownIncident): string =>
  `${brand.origin}${incidentPath(language, id)}`;

const wordsOf = ({ brand, language }: FeedView) => ({
  textOf: (texts: Texts) => pickText(texts ?? {}, language, brand.defaultLanguage).text,
  texts: textsOf('view', language),
});

function toEntry(view: FeedView, incident: ShownIncident): Entry {
  const { language, now, serviceNames } = view;
  const { id, publishedAt, updates } = incident;
  const { textOf, texts } = wordsOf(view);
  const last = updates.at(-1);
  // Maintenance that is called off is resolved at its planned start. A time in the future is no time of a change.
  const resolvedAt = Date.parse(incident.resolvedAt ?? publishedAt);
  const { postmortem } = incident;
  const changes = [publishedAt, ...updates.map(({ createdAt }) => createdAt)];
  if (postmortem !== undefined) changes.push(postmortem.publishedAt);
  const changedAt = changes.map((at) => Date.parse(at));
  return {
    id,
    url: urlOf(view, incident),
    title: textOf(incident.title),
    latest: toOneLine(textOf(last === undefined ? incident.summary : last.body)),
    html: drawTimeline({
      ...{ incident, serviceNames, textOf, texts, format: formatIn(language, view.brand.timeZone) },
    }),
    published: new Date(publishedAt),
    updated: new Date(Math.max(...changedAt, ...(resolvedAt <= now ? [resolvedAt] : []))),
  };
}

/** null where a feed has no room for a text. */
type Texts = ShownIncident['summary'];

type TimelineProps = {
  incident: ShownIncident;
  serviceNames: FeedView['serviceNames'];
  textOf: (texts: Texts) => string;
  texts: ViewTexts;
  format: Format;
};

/** The postmortem, then the newest update first, because mail programs and feed readers show only the beginning. */
function drawTimeline({ incident, serviceNames, textOf, texts, format }: TimelineProps): string {
  const { type, services, updates } = incident;
  const names = services.map((slug) => serviceNames[slug] ?? slug);
  const drawn = [...updates].reverse().flatMap(({ status, body, createdAt }) => [
    renderToString(
      <p>
        <strong>{texts.updateStatus[status]}</strong> · <Time at={createdAt} format={format} />
      </p>,
    ),
    drawText({ text: textOf(body) }),
  ]);
  const facts = renderToString(
    <p>
      <strong>{texts.type[type]}</strong> · {isCalledOff(incident) && `${texts.calledOff} · `}
      <Span {...{ incident, texts, format }} />
    </p>,
  );
  const affected =
    names.length > 0 ? renderToString(<p>{texts.affects({ names: format.list(names) })}</p>) : '';
  const learned = incident.postmortem && [
    renderToString(
      <p>
        <strong>{texts.postmortem}</strong> · <Time at={incident.postmortem.publishedAt} format={format} />
      </p>,
    ),
    drawText({ text: textOf(incident.postmortem.body) }),
  ];
  const summary = drawText({ text: textOf(incident.summary) });
  return [...(learned ?? []), ...drawn, facts, summary, affected].join('');
}

/** The time of an incident, or the planned time of a maintenance. */
function Span({ incident, texts, format }: Pick<TimelineProps, 'incident' | 'texts' | 'format'>) {
  const { type, startedAt, scheduledEndAt } = incident;
  const end = isCalledOff(incident) ? scheduledEndAt : endOf(incident);
  const from = <Time at={startedAt} format={format} />;
  if (end !== null) return <>{fillMessage(texts.span, { from, to: <Time at={end} format={format} /> })}</>;
  return (
    <>
      {type === 'maintenance'
        ? fillMessage(texts.openSpan, { from })
        : fillMessage(texts.began, { time: from })}
    </>
  );
}

/** In UTC, because the zone of a feed's reader is unknown. */
function Time({ at, format }: { at: string; format: Format }) {
  return <time datetime={at}>{format.dateTime(Date.parse(at))}</time>;
}

/** Breaks up `]]>`, which would end the CDATA section around a text; the library breaks up only the first one. */
function endNoCdata(html: string): string {
  return html.replaceAll(']]>', ']]&gt;');
}

/**
 * Makes the titles of entries text. The library puts them into CDATA sections, as HTML in Atom; in RSS, where a title is
 * text, readers showed the references of an escaped one. No other `<title` is followed by such a section, because the
 * texts in the others are escaped.
 */
function titlesAsText(xml: string): string {
  return xml.replaceAll(
    /<title(?: type="html")?><!\[CDATA\[([^<]*)\]\]><\/title>/g,
    (_, escaped: string) => `<title>${escaped}</title>`,
  );
}

/** The library takes `&amp;` in a text for an escaped `&`. */
function asText(text: string): string {
  return text.replaceAll('&amp;', '&amp;amp;');
}

/**
 * Escapes a text for HTML and XML, with the references that most readers understand in a title of RSS
 * (https://www.rssboard.org/rss-profile#data-types-characterdata).
 */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&#x26;').replaceAll('<', '&#x3C;').replaceAll('>', '&#x3E;');
}
