import { useId } from 'preact/hooks';
import type { Audience } from '../../../../../contract/manage/audience.js';
import { useFormat } from '../../../format.js';
import { Icon, type IconName } from '../../../kit/icons.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { Skeleton } from '../../../kit/states.js';
import type { Read } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import type { PageFacts } from '../use-page-facts.js';
import { composerTexts } from './texts.js';

type AudienceBoxProps = {
  read: Read<Audience>;
  page: PageFacts | undefined;
  /** Whether email and webhooks tell of it; the page and its feeds do in any case. */
  isTold: boolean;
};

/** Who gets what, before anybody presses the button. */
export function AudienceBox({ read, page, isTold }: AudienceBoxProps) {
  const texts = useTexts(composerTexts);
  const { count } = useFormat();
  const nameOf = useLanguageName();
  const id = useId();
  const { data, error } = read;
  return (
    <section class="audience" aria-labelledby={id}>
      <h3 id={id}>{texts.who}</h3>
      {data === undefined && (error === undefined ? <Skeleton lines={3} /> : <p>{texts.whoFailed}</p>)}
      {data !== undefined && (
        <dl>
          <Way icon="subscribers" title={texts.emails} figure={isTold ? count(data.subscribers) : ''}>
            {!isTold
              ? texts.notTold
              : data.subscribers === 0
                ? texts.nobody
                : Object.entries(data.languages)
                    .map(([tag, readers]) =>
                      texts.inLanguage({ count: count(readers), language: nameOf(tag) }),
                    )
                    .join(', ')}
          </Way>
          <Way icon="webhooks" title={texts.webhooks} figure={isTold ? count(data.webhooks) : ''}>
            {!isTold ? texts.notTold : data.webhooks === 0 ? texts.noWebhooks : ''}
          </Way>
          <Way icon="page" title={texts.feeds} figure="">
            {page === undefined ? texts.feedsWhy : `${page.hostname}, ${texts.feedsWhy}`}
          </Way>
        </dl>
      )}
    </section>
  );
}

type WayProps = { icon: IconName; title: string; figure: string; children: string };

function Way({ icon, title, figure, children }: WayProps) {
  return (
    <div>
      <dt>
        <Icon name={icon} />
        {title}
      </dt>
      <dd>
        {figure !== '' && <b>{figure}</b>}
        <span class="note">{children}</span>
      </dd>
    </div>
  );
}
