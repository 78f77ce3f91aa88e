import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import {
  type FigureSetting,
  figureKinds,
  figureLimits,
} from '../../../../../contract/public/public-figures.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { SettingsForm } from '../../../kit/form/settings-form.js';
import { Icon } from '../../../kit/icons.js';
import { ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { DrawnPage } from '../looks/page-preview.js';
import { type PageRead, usePageEditor } from '../use-page-editor.js';
import { FigureFields } from './figure-fields.js';
import { figuresTexts } from './texts.js';

type Values = { figures: FigureSetting[] };

const valuesOf = ({ figures }: ManagedPage): Values => ({
  figures: figures.map(({ title, service, endpoint, shows, window }) => ({
    ...{ title, service, endpoint, shows, window },
  })),
});

/** Id of the heading of the figures on the public page. */
const partOfPage = 'figures';

const isWhole = ({ title, service, shows }: FigureSetting): boolean =>
  title.trim() !== '' && service.trim() !== '' && shows.length > 0;

/** The figures of requests that the page shows, beside the page that readers would get. */
export function Figures({ read, page }: PageRead) {
  const texts = useTexts(figuresTexts);
  const refusal = useRefusal('page.write');
  const editor = usePageEditor<Values>({
    ...{ read, page, valuesOf, keptAs: 'figures' },
    check: ({ figures }) => (figures.every(isWhole) ? {} : { figures: texts.incomplete }),
    fieldOf: (field) => (field === 'figures' ? field : undefined),
  });
  const { figures } = editor.values;
  const set = editor.set('figures');
  const error = editor.errors['figures'];
  const isFull = figures.length >= figureLimits.figures;
  return (
    <div class={refusal === undefined ? 'looks' : 'looks alone'}>
      <div class="looks-form">
        <ReadOnlyNote permission="page.write" />
        <SettingsForm {...{ editor, title: texts.title, note: texts.why, isReadOnly: refusal !== undefined }}>
          {figures.length === 0 && <p class="note">{texts.none}</p>}
          {figures.map((figure, at) => (
            <FigureFields
              key={at}
              {...{ figure, at, last: figures.length - 1 }}
              onChange={(fields) => set(figures.map((one, i) => (i === at ? { ...one, ...fields } : one)))}
              onMove={(to) => set(moved(figures, at, to))}
              onRemove={() => set(figures.filter((_, i) => i !== at))}
            />
          ))}
          {error !== undefined && (
            <p class="field-error" role="alert">
              <Icon name="warning" />
              <span>{error}</span>
            </p>
          )}
          {isFull ? (
            <p class="note">{texts.most({ count: figureLimits.figures })}</p>
          ) : (
            <button type="button" class="button small" onClick={() => set([...figures, emptyFigure])}>
              <Icon name="plus" />
              {texts.add}
            </button>
          )}
        </SettingsForm>
      </div>
      {refusal === undefined && (
        <DrawnPage page={page} draft={{ figures: figures.filter(isWhole) }} part={partOfPage} />
      )}
      <ConflictDialog
        editor={editor}
        labels={{ figures: texts.label }}
        textOf={(_, value) => value.map(({ title, service }) => `${title} – ${service}`).join('\n')}
      />
    </div>
  );
}

const emptyFigure: FigureSetting = {
  ...{ title: '', service: '', endpoint: null, window: '24h' },
  shows: [...figureKinds],
};

function moved(figures: readonly FigureSetting[], at: number, to: number): FigureSetting[] {
  const next = [...figures];
  next.splice(to, 0, ...next.splice(at, 1));
  return next;
}
