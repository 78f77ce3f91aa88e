import { useEffect, useRef, useState } from 'preact/hooks';
import type { RulePreview } from '../../../../../contract/manage/rule-preview.js';
import { useFormat } from '../../../format.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { Panel } from '../../../kit/panel.js';
import { ErrorNotice, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Preview, usePreview } from '../../../reads/use-preview.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { checkLook } from '../form/check.js';
import { formTexts } from '../form/texts.js';
import { bodyOf, type RuleValues } from '../form/values.js';
import { FiringStrip } from './firing-strip.js';
import { Firings } from './firings.js';
import { PreviewChart, sayValue } from './preview-chart.js';
import { isSuggested, suggestThreshold } from './suggest.js';
import { previewTexts } from './texts.js';

type PanelProps = {
  form: FormState<RuleValues>;
  isReadOnly: boolean;
  /** Sets the threshold from what was measured, once. */
  suggests: boolean;
};

/** The last 14 days with the rule as it is entered; the previous answer stays while a field is wrong. */
export function PreviewPanel(props: PanelProps) {
  const texts = useTexts(previewTexts);
  const form = useTexts(formTexts);
  const isUsable = Object.keys(checkLook(props.form.values, form)).length === 0;
  const usable = useRef<object | undefined>(undefined);
  if (isUsable) usable.current = lookOf(props.form.values);
  return (
    <div class="rule-preview">
      <Panel title={texts.title} note={texts.why}>
        {!isUsable && (
          <p class="note" role="status">
            {texts.mend}
          </p>
        )}
        {usable.current !== undefined && <Past {...props} body={usable.current} isUsable={isUsable} />}
      </Panel>
    </div>
  );
}

/** The part of a rule that its past depends on, so that another name asks nothing. */
function lookOf(values: RuleValues): object {
  const { kind, target, condition, forSeconds, resolveForSeconds, noData } = bodyOf(values);
  return { name: kind, kind, target, condition, forSeconds, resolveForSeconds, noData };
}

type PastProps = PanelProps & { body: object; isUsable: boolean };

function Past({ form, isReadOnly, suggests, body, isUsable }: PastProps) {
  const { slug } = usePage();
  const { kind, by, service, endpoint, watched, objective } = form.values;
  const choice = [kind, by, service, endpoint, watched, objective].join(' ');
  const preview = usePreview<RulePreview>(pagePath(slug, '/rules/preview'), body, { choice });
  const suggestion = useSuggestion({ form, preview, suggests });
  const { data, error, isOlder, retry } = preview;
  if (error !== undefined && !isOlder) return <ErrorNotice error={error} retry={retry} />;
  if (data === undefined) return <Skeleton height={300} />;
  const isPast = isOlder || !isUsable;
  return (
    <div class={isPast ? 'back-test read-view older' : 'back-test read-view'} aria-busy={isOlder}>
      <Result preview={data} kind={kind} />
      {!isReadOnly && suggestion}
    </div>
  );
}

type SuggestionOptions = Pick<PanelProps, 'form' | 'suggests'> & { preview: Preview<RulePreview> };

/** The button that sets the threshold by what was measured, and what it has set. */
function useSuggestion({ form, suggests, preview: { data, isOlder } }: SuggestionOptions) {
  const texts = useTexts(previewTexts);
  const format = useFormat();
  const [said, setSaid] = useState<string>();
  const isDone = useRef(!suggests || form.isChanged);
  const threshold = data === undefined || isOlder ? undefined : suggestThreshold(form.values, data);
  const suggest = (): void => {
    if (threshold === undefined || data === undefined) return;
    isDone.current = true;
    form.set(threshold.field)(threshold.value);
    const value = sayValue(threshold.value, threshold.unit, format);
    setSaid(texts.suggested({ value }));
  };
  useEffect(() => {
    if (!isDone.current) suggest();
  }, [threshold?.value]);
  if (!isSuggested(form.values)) return null;
  return (
    <div class="suggestion">
      <button type="button" class="button small" disabled={threshold === undefined} onClick={suggest}>
        {texts.suggest}
      </button>
      <span class="note" role="status">
        {said}
      </span>
    </div>
  );
}

type ResultProps = { preview: RulePreview; kind: RuleValues['kind'] };

/** How often a rule would have fired, the measured values, and each alert. */
function Result({ preview, kind }: ResultProps) {
  const texts = useTexts(previewTexts);
  const format = useFormat();
  const { count, firings, firingSeconds, unknown, groups } = preview;
  if (unknown !== null) return <p class="note">{texts.unknown}</p>;
  const said =
    count === 0
      ? texts.resultNone
      : texts.result({ count, shown: format.count(count), span: format.duration(firingSeconds) });
  const isMeasured = groups.some(({ values }) => values.some((value) => value !== null));
  return (
    <>
      <p class="back-test-result" role="status">
        {said} {count > firings.length && texts.newest({ shown: format.count(firings.length) })}
      </p>
      {isMeasured ? <PreviewChart preview={preview} kind={kind} /> : <p class="note">{texts.nothing}</p>}
      <FiringStrip preview={preview} />
      {count > 0 && <Firings preview={preview} />}
    </>
  );
}
