import { useTexts } from '../../texts.js';
import { FailedAddition } from '../states.js';
import { chartTexts } from './texts.js';
import type { Happenings } from './use-events.js';

/** Says which marks the charts of a screen lack because they could not be loaded. */
export function EventsNote({ incidents, deployments }: Happenings) {
  const texts = useTexts(chartTexts);
  return (
    <>
      <FailedAddition read={incidents}>{texts.noEvents}</FailedAddition>
      <FailedAddition read={deployments}>{texts.noDeployments}</FailedAddition>
    </>
  );
}
