import type { ResolveHook } from 'node:module';

/** Gives each test file of a slot, as `tap`, the subtest that the slot runs the file in. */
export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const importer = context.parentURL;
  if (specifier !== 'tap' || !importer?.endsWith('.test.js')) return nextResolve(specifier, context);
  const url = new URL('./test-of-file.js', import.meta.url);
  url.search = importer;
  return { url: url.href, format: 'module', shortCircuit: true };
};
