import { textFor } from '../../texts.js';
import type { ChangeTexts } from './change-texts.js';

/** The words between who changed something and its name, and those behind the name. */
type ChangeSentence = readonly [before: string, after: string];

/** Returns the sentence of `monitor.update`; the action itself where there are no words for it. */
export function sentenceOf(action: string, texts: ChangeTexts): ChangeSentence {
  const [noun = '', verb = ''] = action.split('.');
  const [object, sentence] = [textFor(texts.nouns, noun), textFor(texts.verbs, verb)];
  if (object === undefined || sentence === undefined) return [`${action}:`, ''];
  // In a text, `%` stands for the noun and `…` for the name.
  const [before = '', after = ''] = sentence.replace('%', object).split('…');
  return [before.trim(), after.trim()];
}
