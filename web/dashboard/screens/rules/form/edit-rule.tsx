import type { ManagedRule as Rule } from '../../../../../contract/manage/rules.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { SubmitButton } from '../../../kit/form/form-buttons.js';
import { type Editor, useEditor } from '../../../kit/form/use-editor.js';
import { showNotice } from '../../../kit/notice.js';
import { ErrorNotice, Skeleton, Stale } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { Screen } from '../../../shell/screen.js';
import { useTexts } from '../../../texts.js';
import { RuleActions } from '../rule-actions.js';
import { RuleStanding } from '../rule-standing.js';
import { rulesTexts } from '../texts.js';
import { useRedFrom } from '../use-red-from.js';
import { checkRule, explainRule } from './check.js';
import { labelsOf, wordValue } from './labels.js';
import { RuleForm } from './rule-form.js';
import { formTexts } from './texts.js';
import { changesOf, type RuleValues, valuesOf } from './values.js';

const pollMs = 30_000;

/** One rule: how it is, what it does, and what it would have done. */
export function EditRule({ slug }: { slug: string }) {
  const page = usePage();
  const { path, to } = useAddress();
  const texts = useTexts(rulesTexts);
  const read = useRead<Rule>(pagePath(page.slug, `/rules/${encodeURIComponent(slug)}`), { everyMs: pollMs });
  const { data, error } = read;
  return (
    <Screen
      title={data?.name ?? slug}
      crumbs={[{ title: texts.rules, href: to(path) }]}
      actions={data !== undefined && <RuleActions rule={data} read={read} />}
    >
      {data === undefined && error === undefined && <Skeleton height={320} />}
      {data === undefined && error !== undefined && <ErrorNotice error={error} retry={read.retry} />}
      {data !== undefined && (
        <>
          {error !== undefined && <Stale read={read} error={error} />}
          <RuleStanding rule={data} />
          <Editing saved={data} read={read} />
        </>
      )}
    </Screen>
  );
}

function Editing({ saved, read }: { saved: Rule; read: Read<Rule> }) {
  const { slug } = usePage();
  const texts = useTexts(formTexts);
  const kit = useTexts(kitTexts);
  const isReadOnly = useRefusal('rules.write') !== undefined;
  const setRedFrom = useRedFrom();
  const editor = useEditor<Rule, RuleValues>({
    path: pagePath(slug, `/rules/${encodeURIComponent(saved.slug)}`),
    ...{ read, saved, valuesOf, required: ['name'] },
    bodyOf: changesOf,
    keptAs: `rule ${saved.slug}`,
    check: (values) => checkRule(values, texts),
    explain: (error) => explainRule(error, texts),
    onSaved(rule) {
      setRedFrom(rule);
      showNotice(texts.saved);
    },
  });
  return (
    <>
      <ReadOnlyNote permission="rules.write" />
      <RuleForm
        form={editor}
        isSaved
        isReadOnly={isReadOnly}
        actions={
          <>
            <SubmitButton form={editor} needsChange>
              {texts.save}
            </SubmitButton>
            {editor.isChanged && (
              <>
                <button type="button" class="button small" onClick={editor.discard}>
                  {kit.discard}
                </button>
                <span class="note">{kit.changed}</span>
              </>
            )}
          </>
        }
      />
      <Conflicts editor={editor} />
    </>
  );
}

function Conflicts({ editor }: { editor: Editor<RuleValues> }) {
  const texts = useTexts(formTexts);
  const rules = useTexts(rulesTexts);
  const format = useFormat();
  return (
    <ConflictDialog
      editor={editor}
      labels={labelsOf(texts, rules)}
      textOf={(field, value) => wordValue(field, value, { texts, rules, format })}
    />
  );
}
