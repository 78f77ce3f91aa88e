import type { ManagedPolicy } from '../../../../contract/manage/policies.js';
import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import { Target } from './target.js';
import { policiesTexts } from './texts.js';
import type { Names } from './use-names.js';

type StepListProps = { policy: Pick<ManagedPolicy, 'steps' | 'repeat' | 'withoutRole'>; names: Names };

/** The steps of a policy in words, one after another. */
export function StepList({ policy: { steps, repeat, withoutRole }, names }: StepListProps) {
  const texts = useTexts(policiesTexts);
  const { span } = useFormat();
  return (
    <ol class="policy-steps">
      {steps.map(({ notify, waitMinutes }, at) => (
        <li key={at}>
          <span class="policy-tell">
            {notify.length === 0 ? (
              <span class="note">{texts.tellsNobody}</span>
            ) : (
              notify.map((target) => (
                <Target
                  key={JSON.stringify(target)}
                  target={target}
                  name={names.nameOf(target)}
                  isUnreachable={target.person !== undefined && withoutRole.includes(target.person)}
                />
              ))
            )}
          </span>
          <span class="note">
            {at === steps.length - 1
              ? repeat === 0
                ? texts.thenEnds
                : texts.thenAgain({ wait: span(waitMinutes * 60), count: repeat })
              : texts.thenNext({ wait: span(waitMinutes * 60) })}
          </span>
        </li>
      ))}
    </ol>
  );
}
