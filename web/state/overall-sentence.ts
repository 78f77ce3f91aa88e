import { clipText } from '../../lib/clip-text.js';
import { formatIn } from '../texts/format.js';
import { textsOf } from '../texts/texts-of.js';
import type { OverallState, TroubledService } from './page-state.js';

/** More services are counted instead of named. */
const namedMax = 2;
const nameCharsMax = 60;

/** Whether the sentence names the services that are not as they should be. */
export const namesServices = (services: readonly TroubledService[]): boolean => services.length <= namedMax;

/** The name of a service in a language, as far as a sentence has room for it. */
export const shortName = ({ name, names }: TroubledService, language: string): string =>
  clipText(names[language] ?? name, nameCharsMax);

/** The state of a whole page in one sentence. `nameOf` gives what stands for a service that is named. */
export function overallSentence(
  language: string,
  state: OverallState,
  nameOf: (service: TroubledService, at: number) => string = (service) => shortName(service, language),
): string {
  const { overall, language: ownLanguage } = textsOf('view', language);
  switch (state.kind) {
    case 'down':
    case 'partial':
    case 'degraded': {
      const { services, total } = state;
      const words = overall[state.kind];
      const count = services.length;
      if (namesServices(services)) {
        return words.named({ names: formatIn(ownLanguage).list(services.map(nameOf)), count });
      }
      return count === total ? words.all : words.some({ count, total });
    }
    case 'incident':
      return overall.incident({ open: state.open });
    case 'up': {
      const { up, total } = state;
      return up === total ? overall.up.all : overall.up.some({ up, total });
    }
    default:
      return overall[state.kind];
  }
}
