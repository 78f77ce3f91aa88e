import { useState } from 'preact/hooks';
import { Dialog } from '../kit/dialog.js';
import { useMay } from '../session.js';
import { useTexts } from '../texts.js';
import { screensOf } from './screens.js';
import { shellTexts } from './texts.js';
import { hasSingleKeys, isMac, keepSingleKeys } from './use-shortcuts.js';

/** The effect of the keys. */
export function ShortcutList({ slug, onClose }: { slug: string | undefined; onClose(): void }) {
  const texts = useTexts(shellTexts);
  const [isOn, setOn] = useState(hasSingleKeys);
  const everywhere = [
    { keys: isMac() ? ['⌘', 'K'] : ['Ctrl', 'K'], text: texts.search },
    { keys: isMac() ? ['⌘', 'C'] : ['Ctrl', 'C'], text: texts.copyCell },
    { keys: ['?'], text: texts.showShortcuts },
  ];
  const going = screensOf(useMay(slug)).map(({ name, letter }) => ({
    keys: ['g', letter],
    text: texts.goTo({ screen: texts.screens[name] }),
  }));
  return (
    <Dialog title={texts.shortcuts} onClose={onClose}>
      <Keys title={texts.shortcutsOf.everywhere} list={everywhere} />
      {going.length > 0 && <Keys title={texts.shortcutsOf.go} list={going} />}
      <label class="single-keys">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => {
            keepSingleKeys(currentTarget.checked);
            setOn(currentTarget.checked);
          }}
        />
        {texts.singleKeys}
      </label>
    </Dialog>
  );
}

function Keys({
  title,
  list,
}: {
  title: string;
  list: readonly { keys: readonly string[]; text: string }[];
}) {
  return (
    <section class="shortcuts">
      <h3>{title}</h3>
      <dl>
        {list.map(({ keys, text }) => (
          <div key={text}>
            <dt>{text}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
