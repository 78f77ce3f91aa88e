import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type Props = {
  text: string;
  class?: string;
  lang?: string;
};

type Drawn = FunctionComponent<{ text: string }>;

let loaded: Drawn | undefined;

/** The parser has 50 kB, so that it is a file of its own. */
async function load(): Promise<Drawn> {
  const [{ parseMarkdown }, { Markdown }] = await Promise.all([
    import('../../markdown/parse-markdown.js'),
    import('../../markdown/markdown.js'),
  ]);
  return ({ text }) => <Markdown nodes={parseMarkdown(text)} />;
}

/** A text of an incident with its Markdown, as the page draws it; with its marks until the parser is there. */
export function MarkdownText({ text, lang, class: name = '' }: Props) {
  const [View, setView] = useState<Drawn | undefined>(() => loaded);
  useEffect(() => {
    if (View !== undefined) return;
    load().then(
      (view) => {
        loaded = view;
        setView(() => view);
      },
      () => undefined, // The text is readable with its marks.
    );
  }, [View]);
  return (
    <div class={`markdown-text ${View === undefined ? 'raw' : ''} ${name}`} lang={lang} dir="auto">
      {View === undefined ? text : <View text={text} />}
    </div>
  );
}
