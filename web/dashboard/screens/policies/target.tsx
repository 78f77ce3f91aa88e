import type { ComponentChildren } from 'preact';
import type { PolicyTarget } from '../../../../contract/manage/policies.js';
import { Icon, type IconName } from '../../kit/icons.js';
import { useTexts } from '../../texts.js';
import { policiesTexts } from './texts.js';

export type TargetKind = 'person' | 'schedule' | 'channel';

const icons: Readonly<Record<TargetKind, IconName>> = {
  person: 'account',
  schedule: 'onCall',
  channel: 'channels',
};

function kindOf({ schedule, channel }: PolicyTarget): TargetKind {
  return schedule !== undefined ? 'schedule' : channel !== undefined ? 'channel' : 'person';
}

type TargetProps = {
  target: PolicyTarget;
  name: string;
  isUnreachable?: boolean;
  children?: ComponentChildren;
};

/** Somebody or something that a step tells. */
export function Target({ target, name, isUnreachable = false, children }: TargetProps) {
  const texts = useTexts(policiesTexts);
  const kind = kindOf(target);
  return (
    <span class={isUnreachable ? 'policy-target unreachable' : 'policy-target'}>
      <Icon name={isUnreachable ? 'warning' : icons[kind]} />
      <span class="visually-hidden">{texts.kinds[kind]}: </span>
      <span dir="auto">{name}</span>
      {isUnreachable && <span class="visually-hidden">({texts.notTold})</span>}
      {children}
    </span>
  );
}
