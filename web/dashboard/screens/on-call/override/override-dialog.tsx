import type { PersonOnCall, ScheduleOverride } from '../../../../../contract/manage/schedules.js';
import { useFormat } from '../../../format.js';
import { Dialog } from '../../../kit/dialog.js';
import { Form } from '../../../kit/form/form.js';
import { FormButtons } from '../../../kit/form/form-buttons.js';
import { TimeField } from '../../../kit/form/time-field.js';
import { type FormState, useForm } from '../../../kit/form/use-form.js';
import { useTexts } from '../../../texts.js';
import type { Stretch } from '../calendar/span.js';
import { areMore, PersonField } from '../person-field.js';
import { onCallTexts } from '../texts.js';
import { useZoneTimes } from '../use-zone-times.js';
import { proposeStretches } from './propose.js';

type OverrideProps = {
  zone: string;
  /** The time that was chosen in the calendar. */
  stretch: Stretch;
  people: readonly PersonOnCall[];
  /** Makes the change. @throws ReadError */
  send(fields: Values): Promise<ScheduleOverride>;
  onClose(): void;
};

/** ISO-8601 in UTC; empty without a time. */
type Values = { person: string; from: string; to: string };

const textOf = (at: number): string => new Date(at).toISOString();

/** Puts somebody on call for a time, whatever the layers say. */
export function OverrideDialog({ zone, stretch, people, send, onClose }: OverrideProps) {
  const texts = useTexts(onCallTexts);
  const form = useForm<Values>({
    initial: { person: '', from: textOf(stretch.from), to: textOf(stretch.to) },
    required: ['person', 'from', 'to'],
    check: ({ from, to }) => {
      if (from === '' || to === '') return {};
      if (Date.parse(from) >= Date.parse(to)) return { to: texts.endsFirst };
      return Date.parse(to) <= Date.now() ? { to: texts.isOver } : {};
    },
    async send(values) {
      await send(values);
      onClose();
    },
  });
  return (
    <Dialog title={texts.override} onClose={onClose}>
      <Form form={form} actions={<FormButtons form={form} action={texts.putOnCall} onClose={onClose} />}>
        <PersonField
          label={texts.who}
          people={people}
          isTyped={areMore(people)}
          value={form.values.person}
          onChoose={form.set('person')}
          error={form.errors['person']}
        />
        <Proposals {...{ form, zone, stretch }} />
        <div class="on-call-times">
          <TimeField
            label={texts.fromTime}
            hint={texts.zoneHint({ zone })}
            {...form.field('from')}
            zone={zone}
          />
          <TimeField
            label={texts.toTime}
            hint={<Length values={form.values} />}
            {...form.field('to')}
            zone={zone}
          />
        </div>
      </Form>
    </Dialog>
  );
}

function Length({ values: { from, to } }: { values: Values }) {
  const { duration } = useFormat();
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1_000);
  return <>{seconds > 0 ? duration(seconds) : ''}</>;
}

type ProposalsProps = { form: FormState<Values>; zone: string; stretch: Stretch };

/** Times that people mean most often, one press away. */
function Proposals({ form, zone, stretch }: ProposalsProps) {
  const texts = useTexts(onCallTexts);
  const times = useZoneTimes(zone);
  const proposals = proposeStretches(stretch, zone, Date.now());
  return (
    <fieldset class="on-call-proposals">
      <legend>{texts.when}</legend>
      {proposals.map(({ name, from, to }) => {
        const isChosen = form.values.from === textOf(from) && form.values.to === textOf(to);
        return (
          <button
            key={name}
            type="button"
            class="button small"
            aria-pressed={isChosen}
            title={times.span(from, to)}
            onClick={() => {
              form.set('from')(textOf(from));
              form.set('to')(textOf(to));
            }}
          >
            {texts.proposals[name]}
          </button>
        );
      })}
    </fieldset>
  );
}
