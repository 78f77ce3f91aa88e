import { screenPath } from '../../../account/manage-paths.js';
import { endsOf } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { FailedAddition } from '../states.js';
import { chartTexts } from './texts.js';
import { type Happenings, toMarks } from './use-events.js';

/** The list of deployments has the others. */
const namedMax = 3;

/** Names the newest deployments that the charts of a screen mark, with links, and the marks that could not be loaded. */
export function EventsNote({ incidents, deployments }: Happenings) {
  const texts = useTexts(chartTexts);
  return (
    <>
      <DeploymentsLine deployments={deployments} />
      <FailedAddition read={incidents}>{texts.noEvents}</FailedAddition>
      <FailedAddition read={deployments}>{texts.noDeployments}</FailedAddition>
    </>
  );
}

function DeploymentsLine({ deployments: { data } }: Pick<Happenings, 'deployments'>) {
  const texts = useTexts(chartTexts);
  const format = useFormat();
  const { slug } = usePage();
  const { range, to } = useAddress();
  const ends = endsOf(range, Date.now());
  if (data === undefined || ends === undefined) return null;
  const named = data.items
    .flatMap((item) => toMarks([item], ends, { texts, format }).map(({ label }) => ({ ...item, label })))
    .slice(0, namedMax);
  if (named.length === 0) return null;
  return (
    <p class="deployments-line">
      <span class="note">{texts.deployments}</span>
      {named.map(({ id, service, label, url }) => (
        <a key={id} href={url ?? to(screenPath(slug, 'traffic'), { service })}>
          {label}
        </a>
      ))}
      <a href={screenPath(slug, 'deployments')}>{texts.allDeployments}</a>
    </p>
  );
}
