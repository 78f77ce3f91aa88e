/** Bundles what browsers run, without compiling the rest: for the image, which is built without a check of types. */
import { bundle } from './build/bundle.js';
import { projects } from './build/project.js';
import { writeViewAssets } from './build/view-assets.js';

for (const project of projects) {
  if (project.bundle === undefined) continue;
  const failure = await bundle(project.sources, project.bundle);
  if (failure === undefined) continue;
  process.stderr.write(`${failure}\n`);
  process.exitCode = 1;
}
await writeViewAssets();
