import { ChoiceForm, linkPaths, subscriberLimits } from '../../../contract/subscribers.js';
import { type ChoosableService, listChoosable } from '../../../control/monitors/index.js';
import { brandOf, type Page } from '../../../control/pages/index.js';
import {
  type Choice,
  changePreferences,
  loadPreferences,
  loadSubscriber,
  type Preferences,
} from '../../../control/subscribers/index.js';
import { matchLanguage } from '../../../lib/locale/language.js';
import { signToken } from '../../../lib/secrets/secret-box.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { ChoosableGroup } from '../../../web/views/subscriptions/choice-fields.js';
import {
  type ChoiceViewContent,
  choiceViewStyle,
  renderChoiceView,
} from '../../../web/views/subscriptions/choice-view.js';
import type { Form } from '../../read-form.js';
import type { FormRoute, OpenRoute } from '../../route.js';
import { answerLinkView, type LinkDeps, type LinkOwner, linkRoute, openLink } from './links.js';

/** The form in which a subscriber chooses what it hears of, behind the link that every message has. */
export function choiceRoutes(deps: LinkDeps): (OpenRoute | FormRoute)[] {
  return [showRoute(deps), saveRoute(deps)];
}

function showRoute(deps: LinkDeps): OpenRoute {
  return {
    ...linkRoute('manage', 'GET', 'showChoice', 'A page on which a subscriber chooses what it hears of'),
    handle: (ctx) =>
      openLink(deps, ctx, 'manage', async ({ page, owner }) => {
        answerLinkView(deps, ctx, page, await show(deps, page, owner));
      }),
  };
}

function saveRoute(deps: LinkDeps): FormRoute {
  return {
    ...linkRoute('manage', 'POST', 'changeChoice', 'Change what a subscriber hears of'),
    form: { schema: ChoiceForm, bytesMax: subscriberLimits.choiceBytes },
    handle: (ctx, form) =>
      openLink(deps, ctx, 'manage', async ({ page, owner }) => {
        const outcome = await save(deps, page, owner, form);
        answerLinkView(deps, ctx, page, await show(deps, page, owner, outcome));
        if (outcome === 'nothingChosen') ctx.status = 400;
      }),
  };
}

type Outcome = 'saved' | 'nothingChosen';

/** The view of a subscriber; `undefined` for one that does not exist any more. */
async function show(deps: LinkDeps, page: Page, owner: LinkOwner, outcome?: Outcome) {
  const [preferences, subscriber] = await Promise.all([
    loadPreferences(deps.sql, owner),
    loadSubscriber(deps, owner.subscriberId),
  ]);
  if (preferences === undefined || subscriber === undefined) return undefined;
  const { language } = subscriber;
  const brand = brandOf(page, deps.originOf(page.hostname));
  const token = signToken(deps.secretKey, 'unsubscribe', owner.subscriberId);
  const content: ChoiceViewContent = {
    ...{ brand, language, chosen: preferences.choice, reminders: preferences.reminders },
    groups: groupServices(await listChoosable(deps, page.id, language)),
    leaveUrl: `${linkPaths.unsubscribe}?token=${token}`,
    ...(outcome !== undefined && { outcome }),
  };
  return { html: renderChoiceView(content), style: choiceViewStyle(brand) };
}

async function save(deps: LinkDeps, page: Page, owner: LinkOwner, form: Form): Promise<Outcome> {
  const language = matchLanguage(parseText(form['language']), page.languages) ?? page.defaultLanguage;
  try {
    await changePreferences(deps, owner, { ...parsePreferences(form), language });
    return 'saved';
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'invalidBody') return 'nothingChosen';
    throw error;
  }
}

/** Reads the choice of a form: everything unless `scope` is `some`. */
export function parsePreferences({ scope, service, group, reminders }: Form): Preferences {
  const choice: Choice =
    scope === 'some' ? { services: parseTexts(service), groups: parseTexts(group) } : null;
  return { choice, reminders: reminders === 'on' };
}

const parseText = (value: unknown): string => (typeof value === 'string' ? value : '');

function parseTexts(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one) => typeof one === 'string');
}

/** The services in their groups, in the order of the page. */
export function groupServices(services: readonly ChoosableService[]): ChoosableGroup[] {
  const groups = new Map<string, ChoosableGroup & { services: { slug: string; name: string }[] }>();
  for (const { slug, name, group } of services) {
    const key = group?.slug ?? '';
    const found = groups.get(key) ?? { group, services: [] };
    found.services.push({ slug, name });
    groups.set(key, found);
  }
  return [...groups.values()];
}
