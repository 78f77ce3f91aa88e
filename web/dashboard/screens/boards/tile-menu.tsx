import type { Tile } from '../../../../contract/manage/boards.js';
import { searchOf } from '../../address/use-address.js';
import { Icon } from '../../kit/icons.js';
import { Menu } from '../../kit/menu.js';
import { usePage } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { boardsTexts } from './texts.js';

/** Where one goes on from a tile with a saved query: to its statement, or to a rule that watches it. */
export function TileMenu({ tile: { title, source } }: { tile: Tile }) {
  const { slug, may } = usePage();
  const texts = useTexts(boardsTexts);
  if (!('query' in source)) return null;
  const { query } = source;
  return (
    <Menu label={texts.tileMenu({ title })} button={<Icon name="more" />} class="icon-button" align="end">
      {() => (
        <ul class="menu-list">
          <li>
            <a href={pathOfScreen(slug, 'sql') + searchOf({ query })}>
              <Icon name="sql" />
              {texts.openSql}
            </a>
          </li>
          {may('rules.write') && (
            <li>
              <a href={pathOfScreen(slug, 'rules') + searchOf({ new: 'query', query })}>
                <Icon name="rules" />
                {texts.makeRule}
              </a>
            </li>
          )}
        </ul>
      )}
    </Menu>
  );
}
