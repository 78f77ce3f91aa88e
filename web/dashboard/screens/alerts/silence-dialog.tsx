import { alertLimits, type ManagedAlert, type ManagedSilence } from '../../../../contract/manage/alerts.js';
import type { ManagedPage } from '../../../../contract/manage/pages.js';
import { type AlertSeverity, alertSeverities } from '../../../../contract/manage/shared.js';
import { useFormat } from '../../format.js';
import { Dialog } from '../../kit/dialog.js';
import { Segments, SelectField } from '../../kit/form/choices.js';
import { TextField } from '../../kit/form/field.js';
import { Form, wordError } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { TimeField } from '../../kit/form/time-field.js';
import { useForm } from '../../kit/form/use-form.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { ReadError, sendJson } from '../../reads/fetch-json.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { endOf, type SilenceLength, silenceLengths } from './silence-end.js';
import { alertsTexts } from './texts.js';
import type { RuleName } from './use-rules.js';

type Values = {
  rule: string;
  service: string;
  endpoint: string;
  severity: AlertSeverity | '';
  length: SilenceLength;
  endsAt: string;
  note: string;
};

type DialogProps = {
  rules: readonly RuleName[];
  /** The alert whose rule and place are chosen at first. */
  alert?: Pick<ManagedAlert, 'rule' | 'subject' | 'group'>;
  onChange(): void;
  onClose(): void;
};

/** Chooses which alerts nobody is told of, and for how long. */
export function SilenceDialog({ rules, alert, onChange, onClose }: DialogProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const { slug } = usePage();
  const zone = useRead<Pick<ManagedPage, 'timeZone'>>(pagePath(slug, '')).data?.timeZone ?? 'UTC';
  const undo = useEndSilence(onChange);
  const form = useForm<Values>({
    initial: initialOf(alert),
    keptAs: `silence ${alert?.rule.slug ?? ''}`,
    check: (values) => (endOf(values, zone, Date.now()) > Date.now() ? {} : { endsAt: texts.endIsPast }),
    async send({ length: _, endsAt: __, note, ...chosen }, { edits }) {
      const given = { ...initialOf(alert), ...edits };
      const filters = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== ''));
      const { id, endsAt } = await sendJson<ManagedSilence>('POST', pagePath(slug, '/silences'), {
        ...filters,
        ...(note !== '' && { note }),
        endsAt: new Date(endOf(given, zone, Date.now())).toISOString(),
      });
      showNotice(texts.silencedNow({ moment: format.moment(Date.parse(endsAt)) }), () => void undo(id));
      onChange();
      onClose();
    },
  });
  const { values, set, errors } = form;
  const covers = [values.rule, values.service, values.endpoint, values.severity];
  const end = endOf(values, zone, Date.now());
  return (
    <Dialog title={texts.silenceTitle} onClose={onClose}>
      <Form form={form} actions={<FormButtons form={form} action={texts.silence} onClose={onClose} />}>
        <p>{texts.silenceWhy}</p>
        <Scope values={values} set={set} rules={withRule(rules, alert?.rule)} />
        <Segments
          label={texts.until}
          value={values.length}
          options={silenceLengths.map((value) => ({ value, title: texts.lengths[value] }))}
          onChoose={set('length')}
        />
        {values.length === 'own' && (
          <TimeField label={texts.endsAt} zone={zone} {...form.field('endsAt')} error={errors['endsAt']} />
        )}
        <TextField
          label={texts.note}
          input={{ dir: 'auto', maxLength: alertLimits.noteChars, autocomplete: 'off', class: 'wide' }}
          {...form.field('note')}
        />
        <p class="note" role="status">
          {covers.every((value) => value === '') && (
            <strong class="silence-all">
              <Icon name="warning" />
              {texts.coversAll}{' '}
            </strong>
          )}
          {!Number.isNaN(end) && texts.ends({ moment: format.moment(end) })}
        </p>
      </Form>
    </Dialog>
  );
}

/** An alert names its rule, and its service and endpoint where the rule alerts for each apart. */
function initialOf(alert: DialogProps['alert']): Values {
  const { service = '', endpoint = '' } = alert?.group === '' ? {} : (alert?.subject ?? {});
  return {
    ...{ rule: alert?.rule.slug ?? '', service, endpoint, severity: '' },
    ...{ length: '60', endsAt: '', note: '' },
  };
}

/** A rule may be gone while its alert is still drawn. */
function withRule(rules: readonly RuleName[], rule: RuleName | undefined): readonly RuleName[] {
  return rule === undefined || rules.some(({ slug }) => slug === rule.slug) ? rules : [rule, ...rules];
}

type ScopeProps = {
  values: Values;
  set<K extends keyof Values & string>(field: K): (value: Values[K]) => void;
  rules: readonly RuleName[];
};

function Scope({ values, set, rules }: ScopeProps) {
  const texts = useTexts(alertsTexts);
  const text = { dir: 'auto', placeholder: texts.every, autocomplete: 'off', maxLength: 200 } as const;
  return (
    <div class="silence-scope">
      <SelectField
        label={texts.rule}
        value={values.rule}
        options={[
          { value: '', title: texts.anyRule },
          ...rules.map(({ slug, name }) => ({ value: slug, title: name })),
        ]}
        onChoose={set('rule')}
      />
      <SelectField
        label={texts.severity}
        value={values.severity}
        options={[
          { value: '' as const, title: texts.anySeverity },
          ...alertSeverities.map((value) => ({ value, title: texts.severities[value] })),
        ]}
        onChoose={set('severity')}
      />
      <TextField label={texts.service} value={values.service} onInput={set('service')} input={text} />
      <TextField label={texts.endpoint} value={values.endpoint} onInput={set('endpoint')} input={text} />
    </div>
  );
}

/** Makes the function that ends a silence now, and says how that went. */
export function useEndSilence(onChange: () => void): (id: string) => Promise<void> {
  const texts = useTexts(alertsTexts);
  const kit = useTexts(kitTexts);
  const { slug } = usePage();
  return async (id) => {
    try {
      await sendJson('DELETE', pagePath(slug, `/silences/${id}`));
      showNotice(texts.endedNow);
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      showNotice(wordError(error, kit));
    }
    onChange();
  };
}
