import Type from 'typebox';
import { limits } from '../limits.js';
import { closed } from './shared.js';

/** Names one service or reporter of a page. Ids may have any characters, so they are no part of a path. */
export const ReporterRef = closed({
  kind: Type.Enum(['reporter', 'service'], { description: 'As in the list of reporters.' }),
  id: Type.String({
    minLength: 1,
    maxLength: limits.reporterIdChars,
    description: 'Service name (v1) or reporter id (v2).',
  }),
});
