import { CopyButton } from './copy-button.js';

/** Lines for a shell or a program, with a button that copies them. */
export function Command({ children }: { children: string }) {
  return (
    <div class="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and what scrolls is reached by keyboard. */}
      <pre tabIndex={0}>
        <code>{children}</code>
      </pre>
      <CopyButton text={children} />
    </div>
  );
}
