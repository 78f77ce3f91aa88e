import type { TopAnswer, TopRow } from '../../../../contract/analytics/figures.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat, writeKnown } from '../../format.js';
import { wholeSteps } from '../../kit/counted-steps.js';
import { type ShareLimits, toneOfErrorShare } from '../../kit/error-share.js';
import { Change } from '../../kit/figure.js';
import { Panel } from '../../kit/panel.js';
import { Sparkline } from '../../kit/sparkline.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { kitTexts } from '../../kit/texts.js';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { EventCommand } from '../../shell/event-command.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { overviewTexts } from './texts.js';

const shownMax = 8;

/** The services with their errors and response times; those that fail most come first. */
export function ServicesPanel({ read }: { read: Read<TopAnswer> }) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const limits = useShareLimits();
  const words = useShareWords();
  const groups = read.data?.groups ?? 0;
  return (
    <Panel
      title={texts.services}
      note={words}
      flush
      actions={
        <a href={to(pathOfScreen(slug, 'traffic'))}>
          {groups > shownMax ? texts.allServices({ count: format.count(groups) }) : texts.toTraffic}
        </a>
      }
    >
      <ReadView
        read={read}
        skeleton={<Skeleton height={200} />}
        isEmpty={({ rows }) => rows.length === 0}
        empty={
          <Empty title={texts.servicesNone}>
            <p>{texts.servicesNoneWhy}</p>
            <EventCommand />
          </Empty>
        }
      >
        {(answer) => (
          <div class="glance">
            <p class="glance-row glance-head services" aria-hidden="true">
              <span>{texts.service}</span>
              <span class="glance-spark">{texts.requests}</span>
              <span class="minor">{texts.perSecond}</span>
              <span>{texts.fail}</span>
              <span />
              <span>{texts.p95Short}</span>
            </p>
            <ul>
              {worstFirst(answer.rows, limits)
                .slice(0, shownMax)
                .map((row) => (
                  <Service key={row.service} row={row} answer={answer} />
                ))}
            </ul>
          </div>
        )}
      </ReadView>
    </Panel>
  );
}

const toneOrder = ['bad', 'warn', 'good'];

function worstFirst(rows: readonly TopRow[], limits: ShareLimits): TopRow[] {
  const rankOf = ({ now }: TopRow) => toneOrder.indexOf(toneOfErrorShare(now.errorShare, limits));
  return rows.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function Service({ row, answer }: { row: TopRow; answer: TopAnswer }) {
  const { service, now, previous } = row;
  const tone = toneOfErrorShare(now.errorShare, useShareLimits());
  const sparkline = row.sparkline === null ? undefined : wholeSteps(row.sparkline, answer);
  const texts = useTexts(overviewTexts);
  const { none } = useTexts(kitTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const name = service ?? none;
  return (
    <li class={`glance-row services ${tone}`}>
      <a href={to(pathOfScreen(slug, 'traffic'), { service: name })} dir="auto">
        {name}
      </a>
      <span class="glance-spark">
        {sparkline !== undefined && (
          <Sparkline values={sparkline.requests} failures={sparkline.errors} tone={tone} />
        )}
      </span>
      <span class="glance-figure minor">
        <span class="visually-hidden">{texts.requests} </span>
        {writeKnown(now.requestsPerSecond, format.perSecond) ?? none}
      </span>
      <span class="glance-figure error-share">
        <span class="visually-hidden">{texts.errorShare} </span>
        {now.errorShare === null ? none : format.share(now.errorShare)}
      </span>
      <span class="glance-change">
        <Change now={now.errorShare} before={previous?.errorShare ?? null} isGoodWhen="lower" />
      </span>
      <span class="glance-figure">
        <span class="visually-hidden">{texts.p95} </span>
        {now.p95Ms === null ? none : format.ms(now.p95Ms)}
      </span>
    </li>
  );
}
