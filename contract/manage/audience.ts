import Type, { type Static } from 'typebox';
import { closed } from './shared.js';

/** Who an announcement reaches. */
export const Audience = closed(
  {
    subscribers: Type.Integer({ minimum: 0, description: 'People who get an email.' }),
    languages: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'How many of them read it in which language.',
    }),
    webhooks: Type.Integer({ minimum: 0, description: 'Webhooks that receive the event.' }),
  },
  'Who an announcement would reach now.',
);
export type Audience = Static<typeof Audience>;
