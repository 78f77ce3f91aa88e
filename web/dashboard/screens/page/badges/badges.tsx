import { useState } from 'preact/hooks';
import { CopyButton } from '../../../kit/copy-button.js';
import { Panel } from '../../../kit/panel.js';
import { Uses } from '../../../kit/secret.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import type { PageRead } from '../use-page-editor.js';
import { BadgeChoices } from './badge-choices.js';
import { type BadgeChoice, badgeCode, badgeQuery, widgetCode } from './snippets.js';
import { badgesTexts } from './texts.js';

const usual: BadgeChoice = { service: undefined, metric: 'status', window: '30d', style: 'flat' };

/** Pictures, widgets and feeds of the page, with the code that shows them elsewhere. */
export function Badges({ page }: PageRead) {
  const texts = useTexts(badgesTexts);
  const [choice, setChoice] = useState(usual);
  const query = { service: choice.service?.slug, ...badgeQuery(choice) };
  const picture = useRead<{ svg: string }>(pagePath(page.slug, '/badge', query), { everyMs: 60_000 });
  const name = choice.service?.name ?? page.name;
  const code = badgeCode(page.url, choice, name);
  const widget = widgetCode(page.url);
  return (
    <div class="page-part">
      <Panel title={texts.badge} note={texts.badgeWhy}>
        <div class="form">
          <BadgeChoices slug={page.slug} choice={choice} onChange={setChoice} />
          <figure class="badge-now">
            <ReadView read={picture} skeleton={<Skeleton lines={1} />}>
              {({ svg }) => (
                <img
                  src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
                  alt={`${texts.now}: ${titleOf(svg)}`}
                />
              )}
            </ReadView>
            <figcaption class="note">{texts.now}</figcaption>
          </figure>
          <Uses
            uses={(['markdown', 'html', 'url'] as const).map((key) => ({
              title: texts.formats[key],
              text: code[key],
            }))}
          />
        </div>
      </Panel>
      <Panel title={texts.widget} note={texts.widgetWhy}>
        <Uses
          uses={[
            { title: texts.withScript, text: widget.script },
            { title: texts.withFrame, text: widget.frame },
          ]}
        />
      </Panel>
      <Feeds page={page} />
    </div>
  );
}

/** Returns the text of a badge for people who do not see it. */
function titleOf(svg: string): string {
  return new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('title')?.textContent ?? '';
}

function Feeds({ page }: Pick<PageRead, 'page'>) {
  const texts = useTexts(badgesTexts);
  const paths = {
    ...{ rss: '/feed.rss', atom: '/feed.atom', json: '/feed.json', embed: '/embed.json' },
    ...{ summary: `/api/public/${page.slug}/summary`, badge: '/badge.json' },
  } as const;
  const names = Object.keys(paths) as (keyof typeof paths)[]; // The names of its fields.
  return (
    <Panel title={texts.feeds} note={texts.feedsWhy}>
      <ul class="feed-list">
        {names.map((name) => {
          const url = new URL(paths[name], page.url).href;
          return (
            <li key={name}>
              <span>{texts.feedNames[name]}</span>
              <a href={url} target="_blank" rel="noreferrer">
                {url}
              </a>
              <CopyButton text={url} />
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
