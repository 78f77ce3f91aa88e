import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Dialog } from '../../kit/dialog.js';
import { Icon } from '../../kit/icons.js';
import { keep, readKept } from '../../kit/kept.js';
import { useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { shellTexts } from '../texts.js';
import { type Command, type Found, findCommands } from './commands.js';
import { Option } from './option.js';
import { useCommands } from './use-commands.js';

type Props = { slug: string | undefined; onClose(): void };

/** Goes anywhere and does anything by its name: a combobox with a list (WAI-ARIA Authoring Practices). */
export function Palette({ slug, onClose }: Props) {
  const texts = useTexts(shellTexts);
  const { route } = useLocation();
  const { id: userId } = useSession().me.caller;
  const [search, setSearch] = useState('');
  const commands = useCommands(slug, search);
  const [recent] = useState(() => readRecent(userId));
  const [at, setAt] = useState(0);
  const { found, recentCount } = useMemo(() => offer(commands, search, recent), [commands, search, recent]);
  const id = useId();
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    keepRecent(userId, command.id);
    onClose();
    command.run?.();
    if (command.href !== undefined) route(command.href);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepOf(event);
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      // Single steps go around the ends; pages stop there.
      const next = at + step;
      setAt(
        Math.abs(step) === 1
          ? (next + found.length) % found.length
          : Math.min(found.length - 1, Math.max(0, next)),
      );
    }
    if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      run(found[at]?.command);
    }
  };
  return (
    <Dialog title={texts.search} onClose={onClose} bare>
      <label class="palette-field">
        <Icon name="search" />
        <span class="visually-hidden">{texts.search}</span>
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          placeholder={texts.searchHint}
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${at}`}
          value={search}
          onInput={({ currentTarget }) => {
            setSearch(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <span aria-hidden="true">
          <kbd>Esc</kbd>
        </span>
      </label>
      <List {...{ id, found, at, recentCount }} label={texts.search} recentLabel={texts.recent} onRun={run} />
      <p class={found.length === 0 ? 'palette-none' : 'visually-hidden'} role="status">
        {found.length === 0 ? texts.noResult : search !== '' && texts.results({ count: found.length })}
      </p>
    </Dialog>
  );
}

function stepOf({ key }: KeyboardEvent): number {
  return { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[key] ?? 0;
}

/** Without a search, what was chosen last comes first. */
function offer(
  commands: readonly Command[],
  search: string,
  recent: readonly string[],
): { found: readonly Found[]; recentCount: number } {
  if (search.trim() !== '') return { found: findCommands(commands, search, recent), recentCount: 0 };
  const chosen = recent.flatMap((id) => commands.find((command) => command.id === id) ?? []);
  const others = commands.filter((command) => !chosen.includes(command));
  return { found: findCommands([...chosen, ...others], ''), recentCount: chosen.length };
}

type ListProps = {
  id: string;
  label: string;
  recentLabel: string;
  found: readonly Found[];
  at: number;
  recentCount: number;
  onRun(command: Command): void;
};

function List({ id, label, recentLabel, found, at, recentCount, onRun }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (at === 0) list.current?.scrollTo(0, 0);
  }, [at, found]);
  const optionOf = ({ command, marks }: Found, i: number) => (
    <Option
      key={command.id}
      id={`${id}-${i}`}
      command={command}
      marks={marks}
      isCurrent={i === at}
      onRun={() => onRun(command)}
    />
  );
  const options = found.map(optionOf);
  return (
    <div id={`${id}-list`} ref={list} class="palette-list" role="listbox" aria-label={label}>
      {recentCount > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is nothing that a list box holds.
        <div role="group" aria-labelledby={`${id}-recent`}>
          <div id={`${id}-recent`} class="palette-title" role="presentation">
            {recentLabel}
          </div>
          {options.slice(0, recentCount)}
        </div>
      )}
      {options.slice(recentCount)}
    </div>
  );
}

/** Others who use the browser see nothing of it. */
const storageKeyOf = (userId: string): string => `heartline-recent ${userId}`;
const keptMax = 6;

/** Ids of the commands that the person has chosen in this browser, the newest first. */
function readRecent(userId: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(readKept(storageKeyOf(userId)) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
  } catch {
    return []; // Something else stands there.
  }
}

function keepRecent(userId: string, id: string): void {
  const ids = [id, ...readRecent(userId).filter((one) => one !== id)].slice(0, keptMax);
  keep(storageKeyOf(userId), JSON.stringify(ids));
}
