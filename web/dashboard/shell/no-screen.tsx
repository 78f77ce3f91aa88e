import { accountPaths } from '../../account/manage-paths.js';
import { Empty } from '../kit/states.js';
import { useTexts } from '../texts.js';
import { shellTexts } from './texts.js';

/** An address without a screen, or with a page that the person may not read. */
export function NoScreen() {
  const texts = useTexts(shellTexts);
  return (
    <Empty title={texts.noScreen} level={1}>
      <p>{texts.noScreenWhy}</p>
      <a class="button" href={accountPaths.home}>
        {texts.toPages}
      </a>
    </Empty>
  );
}
