import { useState } from 'preact/hooks';
import type { MaintenanceSeries } from '../../../../../contract/manage/incidents/maintenance-series.js';
import { Switch } from '../../../kit/form/choices.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { showNotice } from '../../../kit/notice.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { maintenanceTexts } from './texts.js';

type DeleteProps = { slug: string; series: MaintenanceSeries; onDeleted(): void };

/** The button that deletes a series, and the question before. */
export function DeleteSeries({ slug, series, onDeleted }: DeleteProps) {
  const texts = useTexts(maintenanceTexts);
  const [isAsking, setAsking] = useState(false);
  const [withPublished, setWithPublished] = useState(false);
  const published = series.occurrences.filter(({ incidentId }) => incidentId !== null).length;
  const confirm = async (): Promise<void> => {
    const query = { published: withPublished ? 'delete' : undefined };
    await sendJson('DELETE', pagePath(slug, `/maintenance-series/${series.id}`, query));
    showNotice(texts.removed);
    onDeleted();
  };
  return (
    <>
      <PermittedButton
        permission="incidents.write"
        class="button small"
        label={texts.removeOf({ title: series.title })}
        onClick={() => setAsking(true)}
      >
        {texts.remove}
      </PermittedButton>
      {isAsking && (
        <Confirm
          title={texts.removeTitle}
          action={texts.remove}
          isDanger
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p dir="auto">{texts.removeWhy({ title: series.title })}</p>
          <Switch
            label={texts.removePublished}
            hint={texts.removePublishedWhy({ count: published })}
            isOn={withPublished}
            onSwitch={setWithPublished}
            isDisabled={published === 0}
          />
        </Confirm>
      )}
    </>
  );
}
