import Type from 'typebox';
import { closed } from './shared.js';

/** Who an announcement reaches. */
export const Audience = closed(
  {
    subscribers: Type.Integer({ minimum: 0, description: 'People who get an email.' }),
    webhooks: Type.Integer({ minimum: 0, description: 'Webhooks that receive the event.' }),
  },
  'Who an announcement would reach now.',
);
