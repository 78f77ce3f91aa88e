import type { Texts } from '../../texts.js';
import { de } from './texts-de.js';
import { en } from './texts-en.js';

export type { ChannelsTexts } from './texts-en.js';

export const channelsTexts = { en, de } satisfies Texts<unknown>;
