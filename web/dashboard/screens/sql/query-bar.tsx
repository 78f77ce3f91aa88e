import { wordError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { Menu } from '../../kit/menu.js';
import { kitTexts } from '../../kit/texts.js';
import { useTexts } from '../../texts.js';
import { ConflictDialog, DeleteDialog, NameDialog } from './query-dialogs.js';
import { sqlTexts } from './texts.js';
import type { Console } from './use-console.js';
import { namingOf, type Saving, type SavingProps, useSaving } from './use-saving.js';

/** The name of what is written, and what can be done with it. */
export function QueryBar(props: SavingProps) {
  const texts = useTexts(sqlTexts);
  const kit = useTexts(kitTexts);
  const saving = useSaving(props);
  const { opened, text } = props.console;
  const { save, isChanged, mayChange } = saving;
  const maySave = text.trim() !== '' && (opened === undefined || isChanged);
  return (
    <div class="sql-name">
      <p>
        <strong dir="auto">{opened?.query.name ?? texts.untitled}</strong>
        {isChanged && <span class="note"> {texts.changed}</span>}
        {opened?.query.isShared === false && <span class="note"> {texts.private}</span>}
      </p>
      <button
        type="button"
        class="button small"
        aria-disabled={save.isSending || !maySave}
        onClick={() => maySave && save.run()}
      >
        {mayChange ? kit.save : texts.saveAs}
      </button>
      <Actions saving={saving} hasText={text.trim() !== ''} />
      {save.error !== undefined && (
        <p class="field-error" role="alert">
          {wordError(save.error, kit)}
        </p>
      )}
      <Dialogs saving={saving} console={props.console} />
    </div>
  );
}

type ActionsProps = { saving: Saving; hasText: boolean };

function Actions({ saving, hasText }: ActionsProps) {
  const texts = useTexts(sqlTexts);
  const { mayChange, ask, startNew } = saving;
  return (
    <Menu label={texts.actions} class="icon-button" align="end" button={<Icon name="more" />}>
      {(closeMenu) => (
        <ul class="menu-list">
          {actionsOf({ texts, mayChange, hasText }).map(({ what, title }) => (
            <li key={what}>
              <button
                type="button"
                onClick={() => {
                  closeMenu();
                  if (what === 'new') startNew();
                  else ask(what);
                }}
              >
                {title}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}

function Dialogs({ saving, console: { opened, text } }: { saving: Saving; console: Console }) {
  const texts = useTexts(sqlTexts);
  const { asked, close, closeName, keepMine } = saving;
  if (asked === 'create') {
    const initial = { name: '', isShared: true };
    return (
      <NameDialog title={texts.saveTitle} initial={initial} onSave={saving.create} onClose={closeName} />
    );
  }
  if (typeof asked === 'object') {
    return (
      <ConflictDialog
        theirs={asked.theirs.query.sql}
        mine={text}
        isSending={keepMine.isSending}
        error={keepMine.error}
        onTheirs={() => saving.takeTheirs(asked.theirs)}
        onMine={() => keepMine.run(asked.theirs)}
        onClose={close}
      />
    );
  }
  if (opened === undefined) return null;
  if (asked === 'rename') {
    const initial = namingOf(opened);
    return (
      <NameDialog title={texts.renameTitle} initial={initial} onSave={saving.rename} onClose={closeName} />
    );
  }
  if (asked === 'delete') {
    return <DeleteDialog name={opened.query.name} onDelete={saving.remove} onClose={close} />;
  }
  return null;
}

type ActionsOf = { texts: (typeof sqlTexts)['en']; mayChange: boolean; hasText: boolean };

function actionsOf({ texts, mayChange, hasText }: ActionsOf) {
  return [
    { what: 'new' as const, title: texts.startNew },
    ...(hasText ? [{ what: 'create' as const, title: texts.saveAs }] : []),
    ...(mayChange
      ? [
          { what: 'rename' as const, title: texts.rename },
          { what: 'delete' as const, title: texts.remove },
        ]
      : []),
  ];
}
