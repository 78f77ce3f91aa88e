import { describeWeights } from './build/budgets.js';
import { buildWhenChanged } from './build/build-when-changed.js';
import { projects } from './build/project.js';

await buildWhenChanged();
for (const { bundle } of projects) if (bundle !== undefined) process.stdout.write(describeWeights(bundle));
