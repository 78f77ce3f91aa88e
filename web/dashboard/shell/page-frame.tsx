import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { PageContext, useSession } from '../session.js';
import { NoScreen } from './no-screen.js';

/** Gives a screen its page; a page that the person may not read is the same as one that does not exist. */
export function PageFrame({ slug, children }: { slug: string; children: ComponentChildren }) {
  const { me, hasMorePages, loadPages } = useSession();
  const page = useMemo(() => {
    const found = me.pages.find((one) => one.slug === slug);
    if (found === undefined) return undefined;
    const held = new Set(found.permissions);
    const { name, role, alertThresholdPercent } = found;
    return { slug, name, role, alertThresholdPercent, may: held.has.bind(held) };
  }, [me, slug]);
  const isLeftOut = page === undefined && hasMorePages;
  useEffect(() => {
    if (isLeftOut) loadPages();
  }, [isLeftOut]);
  if (isLeftOut) return null;
  if (page === undefined) return <NoScreen />;
  // Another page begins with nothing: its screens would draw the figures of the one before until theirs come.
  return (
    <PageContext.Provider key={slug} value={page}>
      {children}
    </PageContext.Provider>
  );
}
