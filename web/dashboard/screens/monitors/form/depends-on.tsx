import type { MonitorsOverview } from '../../../../../contract/manage/overview.js';
import { CheckList } from '../../../kit/form/choices.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { Fold } from './fold.js';
import { formTexts } from './texts.js';
import { type MonitorValues, slugOf } from './values.js';

/** The monitors that hold back alerts about this one; nothing on a page that has no other. */
export function DependsOn({ form }: { form: FormState<MonitorValues> }) {
  const { values, errors, set, refusals } = form;
  const page = usePage();
  const texts = useTexts(formTexts);
  const { data } = useRead<MonitorsOverview>(pagePath(page.slug, '/overview/monitors'));
  const others = data?.monitors.filter(({ slug }) => slug !== slugOf(values)) ?? [];
  if (others.length === 0) return null;
  return (
    <Fold
      title={texts.dependsOn}
      note={texts.dependsOnNote({ count: values.dependsOn.length })}
      isOpened={errors['dependsOn'] !== undefined}
      refusals={refusals}
    >
      <div class="monitor-choices">
        <CheckList
          label={texts.dependsOn}
          hint={texts.dependsOnWhy}
          error={errors['dependsOn']}
          options={others.map(({ slug, name }) => ({ value: slug, title: name }))}
          values={values.dependsOn}
          onChange={set('dependsOn')}
        />
      </div>
    </Fold>
  );
}
