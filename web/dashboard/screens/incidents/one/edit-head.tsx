import { useState } from 'preact/hooks';
import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { CheckList, Switch } from '../../../kit/form/choices.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { EditActions } from '../../../kit/form/form-buttons.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import { TimeField } from '../../../kit/form/time-field.js';
import { type Editor, useEditor } from '../../../kit/form/use-editor.js';
import { showNotice } from '../../../kit/notice.js';
import { kitTexts } from '../../../kit/texts.js';
import { useTexts } from '../../../texts.js';
import { useAudience, usePeople } from '../audience.js';
import { ImpactFields, type ImpactValues, impactOf, sayImpact, sayStates } from '../impact-fields.js';
import { impactTexts } from '../impact-texts.js';
import { textCharsMax, titleCharsMax } from '../limits.js';
import { useMoments } from '../use-moments.js';
import { useMonitorOptions } from '../use-page-facts.js';
import type { Opened } from './opened.js';
import { oneTexts } from './texts.js';

type HeadValues = {
  title: string;
  summary: string;
  monitorSlugs: string[];
  impact: ImpactValues['impact'];
  serviceStates: ImpactValues['serviceStates'];
  startedAt: string;
  scheduledEndAt: string;
};

type EditHeadProps = Opened & { keptAs: string; onClose(): void };

/** Changes what stands at the top of an incident; in silence by default, as most changes there are corrections. */
export function EditHead(props: EditHeadProps) {
  const { incident, read, path, page, keptAs, onClose } = props;
  const texts = useTexts(oneTexts);
  const kit = useTexts(kitTexts);
  const [isTold, setTold] = useState(false);
  const people = usePeople(useAudience(`${incident.type}.updated`));
  const editor = useEditor<ManagedIncident, HeadValues>({
    ...{ path, read, saved: incident, keptAs, valuesOf },
    required: ['title', 'summary', 'startedAt'],
    bodyOf: ({ scheduledEndAt, impact, serviceStates, ...changes }, after) => ({
      ...changes,
      ...((impact !== undefined || serviceStates !== undefined) && impactOf(after)),
      ...(scheduledEndAt !== undefined && { scheduledEndAt: scheduledEndAt === '' ? null : scheduledEndAt }),
      notify: isTold,
    }),
    onSaved() {
      showNotice(kit.saved);
      onClose();
    },
  });
  const { values, errors, set } = editor;
  const zone = page?.timeZone ?? 'UTC';
  return (
    <Form form={editor} actions={<EditActions form={editor} onClose={onClose} />}>
      <h2>{texts.editing}</h2>
      <TextField
        label={texts.title}
        {...editor.field('title')}
        input={{ dir: 'auto', maxLength: titleCharsMax, autocomplete: 'off', class: 'wide' }}
      />
      <MarkdownField label={texts.summary} {...editor.field('summary')} maxLength={textCharsMax} />
      <MonitorsField
        value={values.monitorSlugs}
        onChange={set('monitorSlugs')}
        error={errors['monitorSlugs']}
      />
      {incident.type === 'incident' && (
        <ImpactFields {...values} errors={errors} onImpact={set('impact')} onStates={set('serviceStates')} />
      )}
      <div class="incident-times">
        <TimeField label={texts.startedAt} {...editor.field('startedAt')} zone={zone} />
        {incident.type === 'maintenance' && (
          <TimeField label={texts.scheduledEndAt} {...editor.field('scheduledEndAt')} zone={zone} />
        )}
      </div>
      <Switch
        label={texts.tellChange}
        hint={people === undefined ? texts.nobodyAsked : texts.tellChangeWhy({ people })}
        isOn={isTold}
        onSwitch={setTold}
      />
      <HeadConflict {...{ editor, incident, zone }} />
    </Form>
  );
}

type ConflictProps = { editor: Editor<HeadValues>; incident: ManagedIncident; zone: string };

function HeadConflict({ editor, incident, zone }: ConflictProps) {
  const texts = useTexts(oneTexts);
  const momentOf = useMoments(zone)[incident.type];
  const { title, summary, monitors, startedAt, scheduledEndAt } = texts;
  const words = useTexts(impactTexts);
  return (
    <ConflictDialog
      editor={editor}
      labels={{
        ...{ title, summary, monitorSlugs: monitors, startedAt, scheduledEndAt },
        ...{ impact: words.impact, serviceStates: words.ownStates },
      }}
      textOf={(field, value) => {
        if (Array.isArray(value)) return value.join(', ');
        if (typeof value === 'object') return sayStates(value, words);
        if (field === 'impact') return sayImpact(value, words);
        const isTime = (field === 'startedAt' || field === 'scheduledEndAt') && value !== '';
        return isTime ? momentOf(value) : value;
      }}
    />
  );
}

function valuesOf(saved: ManagedIncident): HeadValues {
  const { title, summary, monitorSlugs, impact, serviceStates, startedAt, scheduledEndAt } = saved;
  return {
    ...{ title, summary, monitorSlugs, impact: impact ?? '', serviceStates },
    ...{ startedAt, scheduledEndAt: scheduledEndAt ?? '' },
  };
}

type MonitorsProps = { value: string[]; onChange(value: string[]): void; error: string | undefined };

function MonitorsField({ value, onChange, error }: MonitorsProps) {
  const texts = useTexts(oneTexts);
  const options = useMonitorOptions();
  if (options === undefined || options.length === 0) return null;
  return (
    <div class="monitor-choices">
      <CheckList label={texts.monitors} options={options} values={value} onChange={onChange} error={error} />
    </div>
  );
}
