import { CheckList, Switch } from '../../kit/form/choices.js';
import { useTexts } from '../../texts.js';
import { type EventChoice, eventChoices, wordEvent } from './events.js';
import { webhooksTexts } from './texts.js';

type EventFieldsProps = {
  isEvery: boolean;
  onEvery(isEvery: boolean): void;
  chosen: readonly string[];
  onChoose(chosen: EventChoice[]): void;
  error: string | undefined;
};

/** Which events a webhook receives: every one, or some. */
export function EventFields({ isEvery, onEvery, chosen, onChoose, error }: EventFieldsProps) {
  const texts = useTexts(webhooksTexts);
  return (
    <>
      <Switch label={texts.everyEvent} hint={texts.eventsWhy} isOn={isEvery} onSwitch={onEvery} />
      {!isEvery && (
        <CheckList
          label={texts.events}
          options={eventChoices.map((value) => ({ value, title: wordEvent(value, texts), hint: value }))}
          values={eventChoices.filter((value) => chosen.includes(value))}
          onChange={onChoose}
          error={error}
        />
      )}
    </>
  );
}
