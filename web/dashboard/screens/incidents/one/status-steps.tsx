import type { UpdateStatus } from '../../../../../contract/incidents.js';
import { Segments } from '../../../kit/form/choices.js';
import { useTexts } from '../../../texts.js';
import { statuses } from '../limits.js';
import { incidentsTexts } from '../texts.js';
import { oneTexts } from './texts.js';

type StatusStepsProps = {
  value: UpdateStatus;
  /** Leaves out the last step, which would end what begins only now. */
  isNew?: boolean;
  onChoose(status: UpdateStatus): void;
};

/** How far the people who mend it have come. */
export function StatusSteps({ value, isNew = false, onChoose }: StatusStepsProps) {
  const { status } = useTexts(oneTexts);
  const words = useTexts(incidentsTexts).statuses;
  return (
    <div class="status-steps">
      <Segments
        label={status}
        value={value}
        onChoose={onChoose}
        options={statuses
          .filter((one) => !isNew || one !== 'resolved')
          .map((one) => ({ value: one, title: words[one] }))}
      />
    </div>
  );
}
