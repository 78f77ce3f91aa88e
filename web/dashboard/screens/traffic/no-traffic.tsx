import { docsPath } from '../../../page-paths.js';
import { rangeUpToNow } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import { Panel } from '../../kit/panel.js';
import { Empty } from '../../kit/states.js';
import { EventCommand } from '../../shell/event-command.js';
import { useTexts } from '../../texts.js';
import type { Place } from './place.js';
import { trafficTexts } from './texts.js';

/** Figures of endpoints are kept for 100 days. */
const longestSeconds = 7_776_000;

/** Says that nothing was counted, why that may be, and what sends figures. */
export function NoTraffic({ place: { view, filters, hrefOf } }: { place: Place }) {
  const texts = useTexts(trafficTexts).empty;
  const { removeAll, requests } = useTexts(trafficTexts);
  const { range, choose } = useAddress();
  const longest = rangeUpToNow(longestSeconds);
  const isFiltered = view !== 'page' || filters.method !== undefined || filters.status !== undefined;
  return (
    <Panel title={requests}>
      <Empty title={texts.title}>
        {isFiltered ? <p>{texts.filtered}</p> : <FirstEvent />}
        <div class="empty-actions">
          {isFiltered && (
            <a class="button small" href={hrefOf({})}>
              {removeAll}
            </a>
          )}
          {range.from !== longest.from && (
            <button type="button" class="button small" onClick={() => choose(longest)}>
              {texts.longer}
            </button>
          )}
        </div>
      </Empty>
    </Panel>
  );
}

function FirstEvent() {
  const texts = useTexts(trafficTexts).empty;
  return (
    <>
      <p>{texts.why}</p>
      <EventCommand />
      <p class="note">
        {texts.docs}{' '}
        <a href={`${docsPath}/get-started`} target="_blank" rel="noreferrer">
          {texts.guide}
        </a>{' '}
        {texts.and}{' '}
        <a href="/openapi.json" target="_blank" rel="noreferrer">
          {texts.description}
        </a>
        .
      </p>
    </>
  );
}
