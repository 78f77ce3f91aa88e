import type { Installation } from '../../../../contract/manage/installation.js';
import { useFormat } from '../../format.js';
import { Panel } from '../../kit/panel.js';
import { kitTexts } from '../../kit/texts.js';
import { useTexts } from '../../texts.js';
import { installationTexts } from './texts.js';

type Row = { key: string; title: string; waiting: number; oldestSeconds: number; exhausted: number };

/** Counts batches and messages that still wait. */
export function Backlogs({ backlogs: { batches, outbox } }: Pick<Installation, 'backlogs'>) {
  const texts = useTexts(installationTexts);
  const { none } = useTexts(kitTexts);
  const format = useFormat();
  const rows: Row[] = [
    ...batches.map((one) => ({ ...one, key: one.store, title: texts.batchStores[one.store] })),
    ...outbox.map((one) => ({ ...one, key: one.kind, title: texts.outbox[one.kind], exhausted: 0 })),
  ];
  const hasExhausted = rows.some(({ exhausted }) => exhausted > 0);
  return (
    <Panel title={texts.backlogs} note={texts.backlogsWhy} flush>
      <div class="data-table">
        <table aria-label={texts.backlogs}>
          <thead>
            <tr>
              <th scope="col">{texts.kind}</th>
              <th scope="col" class="figure-cell">
                {texts.waiting}
              </th>
              <th scope="col" class="figure-cell">
                {texts.oldest}
              </th>
              {hasExhausted && (
                <th scope="col" class="figure-cell">
                  {texts.givenUp}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, title, waiting, oldestSeconds, exhausted }) => (
              <tr key={key}>
                <td class="wrapped-cell">{title}</td>
                <td class="figure-cell">{format.count(waiting)}</td>
                <td class="figure-cell">{waiting === 0 ? none : format.roughSpan(oldestSeconds)}</td>
                {hasExhausted && <td class="figure-cell">{format.count(exhausted)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
