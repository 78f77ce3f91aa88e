import { clipBlocks } from '../markdown/clip-blocks.js';
import { Markdown } from '../markdown/markdown.js';
import { parseMarkdown } from '../markdown/parse-markdown.js';

type Props = {
  text: string;
  /** Language and direction of the text. */
  mark: { lang?: string; dir: 'auto' };
  /** Beyond, the text is cut. */
  charsMax?: number | undefined;
  isLead?: boolean;
};

/** The summary or an update of an incident, with its Markdown. */
export function IncidentText({ text, mark, charsMax, isLead = false }: Props) {
  const blocks = parseMarkdown(text);
  return (
    <div class={isLead ? 'text lead' : 'text'} {...mark}>
      <Markdown nodes={charsMax === undefined ? blocks : clipBlocks(blocks, charsMax)} />
    </div>
  );
}
