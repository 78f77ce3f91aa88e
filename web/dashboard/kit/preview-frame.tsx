import { useEffect, useRef, useState } from 'preact/hooks';
import { previewPath } from '../../account/manage-paths.js';

type PreviewProps = {
  /** Names the frame for screen readers. */
  title: string;
  /** A whole document of the service. */
  html: string;
  /** Width of the window that the document sees, in pixels; the width of the frame by default. */
  widthPx?: number | undefined;
  /** Id of the part that the document begins with while nobody has scrolled. */
  part?: string;
  class?: string;
};

/**
 * A document as readers would get it. The frame is an empty document of the service, whose policy allows the styles of
 * emails and no script, and which this fills: the policy of the dashboard would refuse those styles. It keeps its place
 * while the document changes.
 */
export function PreviewFrame({ title, html, widthPx, part, class: name = 'preview-frame' }: PreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const inside = frame.current?.contentDocument;
    if (isReady && inside) showDocument(inside, html, part);
  }, [isReady, html, part]);
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
function showDocument(inside: Document, html: string, part: string | undefined): void {
  // A document has the policy of the window whose parser made it.
  const Parser = inside.defaultView?.DOMParser ?? DOMParser;
  const made = new Parser().parseFromString(html, 'text/html');
  for (const script of made.querySelectorAll('script')) script.remove();
  const { scrollTop } = inside.documentElement;
  inside.replaceChild(inside.adoptNode(made.documentElement), inside.documentElement);
  inside.documentElement.scrollTop = scrollTop;
  inside.onclick = (event) => event.preventDefault();
  inside.onsubmit = (event) => event.preventDefault();
  if (scrollTop > 0 || part === undefined) return;
  const show = () => {
    const { top = 0 } = inside.getElementById(part)?.getBoundingClientRect() ?? {};
    // Not scrollIntoView(), which moves the dashboard around the frame as well.
    inside.documentElement.scrollTo({ top: inside.documentElement.scrollTop + top, behavior: 'instant' });
  };
  show();
  // The part has its place once the styles are there.
  inside.querySelector('link[rel=stylesheet]')?.addEventListener('load', show, { once: true });
}
