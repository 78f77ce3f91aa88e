import { buildWhenChanged } from './build/build-when-changed.js';

await buildWhenChanged();
