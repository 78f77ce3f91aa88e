import { useEffect, useRef, useState } from 'preact/hooks';
import { previewPath } from '../../account/manage-paths.js';

type PreviewProps = {
  /** Names the frame for screen readers. */
  title: string;
  /** A whole document of the service. */
  html: string;
  /** Width of the window that the document sees, in pixels; the width of the frame by default. */
  widthPx?: number | undefined;
  class?: string;
};

/**
 * A document as readers would get it. The frame is an empty document of the service, whose policy allows the styles of
 * emails and no script, and which this fills: the policy of the dashboard would refuse those styles. It keeps its place
 * while the document changes.
 */
export function PreviewFrame({ title, html, widthPx, class: name = 'preview-frame' }: PreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const inside = frame.current?.contentDocument;
    if (isReady && inside) showDocument(inside, html);
  }, [isReady, html]);
  return (
    <iframe
      ref={frame}
      class={name}
      title={title}
      src={previewPath}
      sandbox="allow-same-origin"
      onLoad={() => setReady(true)}
      {...(widthPx !== undefined && { style: { width: `${widthPx}px` } })}
    />
  );
}

/** Puts a document in the place of another one. Its links lead nowhere. */
function showDocument(inside: Document, html: string): void {
  // A document has the policy of the window whose parser made it.
  const Parser = inside.defaultView?.DOMParser ?? DOMParser;
  const made = new Parser().parseFromString(html, 'text/html');
  for (const script of made.querySelectorAll('script')) script.remove();
  const { scrollTop } = inside.documentElement;
  inside.replaceChild(inside.adoptNode(made.documentElement), inside.documentElement);
  inside.documentElement.scrollTop = scrollTop;
  inside.onclick = (event) => event.preventDefault();
  inside.onsubmit = (event) => event.preventDefault();
}
