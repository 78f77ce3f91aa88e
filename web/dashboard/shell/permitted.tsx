import type { ComponentChildren } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { type Permission, pageRoles, permissionsOfRole } from '../../../contract/permissions.js';
import { Icon } from '../kit/icons.js';
import { Empty } from '../kit/states.js';
import { usePage } from '../session.js';
import { LanguageContext, useTexts } from '../texts.js';
import { shellTexts } from './texts.js';

/** Who may do something, such as `editors or owners`; admins of the installation where no role of a page suffices. */
function useHolders(permission: Permission): string {
  const texts = useTexts(shellTexts);
  const language = useContext(LanguageContext);
  const roles = pageRoles.filter((role) => permissionsOfRole[role].has(permission));
  if (roles.length === 0) return texts.admins;
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(
    roles.map((role) => texts.roleNames[role]),
  );
}

/** Why the person may not do something on this page; `undefined` where they may. */
export function useRefusal(permission: Permission): string | undefined {
  const { may } = usePage();
  const holders = useHolders(permission);
  const { mayNot } = useTexts(shellTexts);
  return may(permission) ? undefined : mayNot({ roles: holders });
}

type ButtonProps = {
  permission: Permission;
  class?: string;
  onClick(): void;
  /** Name for screen readers, where the children are only an icon or need what they are about. */
  label?: string;
  /** Whether it can not be done now, such as while the one before is not answered. */
  isBusy?: boolean;
  children: ComponentChildren;
};

/** A button for those who may. For others it says why it does nothing; the service refuses them as well. */
export function PermittedButton({ permission, onClick, label, isBusy = false, ...props }: ButtonProps) {
  const { class: name = 'button', children } = props;
  const refusal = useRefusal(permission);
  const id = useId();
  return (
    <>
      <button
        type="button"
        class={name}
        aria-disabled={isBusy || refusal !== undefined}
        {...(label !== undefined && { 'aria-label': label })}
        {...(refusal !== undefined && { title: refusal, 'aria-describedby': id })}
        onClick={() => !isBusy && refusal === undefined && onClick()}
      >
        {children}
      </button>
      {refusal !== undefined && (
        <span id={id} class="visually-hidden">
          {refusal}
        </span>
      )}
    </>
  );
}

/** Above a form that the person may only read. */
export function ReadOnlyNote({ permission }: { permission: Permission }) {
  const refusal = useRefusal(permission);
  if (refusal === undefined) return null;
  return (
    <p class="read-only-note">
      <Icon name="lock" />
      {refusal}
    </p>
  );
}

/** Draws a screen for those who may see it, and says to others who may. */
export function PermittedScreen({
  permission,
  children,
}: {
  permission: Permission;
  children: ComponentChildren;
}) {
  const texts = useTexts(shellTexts);
  const holders = useHolders(permission);
  const { may } = usePage();
  if (may(permission)) return <>{children}</>;
  return (
    <Empty title={texts.mayNotSee} level={1}>
      <p>{texts.mayNotSeeWhy({ roles: holders })}</p>
    </Empty>
  );
}
