import { register } from 'node:module';

register('./resolve-typescript.js', import.meta.url);
