import { pageRoles, permissions, permissionsOfRole } from '../../../../contract/permissions.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { useTexts } from '../../texts.js';
import { peopleTexts } from './texts.js';

/** Permissions that no role of a page has belong to admins of the installation. */
const shown = permissions.filter((permission) =>
  pageRoles.some((role) => permissionsOfRole[role].has(permission)),
);

/** The roles and what they allow, as the service decides it. */
export function RolesTable() {
  const texts = useTexts(peopleTexts);
  return (
    <Panel title={texts.table} note={texts.tableWhy} flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and what scrolls is reached by keyboard. */}
      <section class="roles-box" tabIndex={0} aria-label={texts.may}>
        <table class="roles-table">
          <thead>
            <tr>
              <th scope="col">{texts.may}</th>
              {pageRoles.map((role) => (
                <th key={role} scope="col" title={texts.roleWhys[role]}>
                  {texts.roles[role]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((permission) => (
              <tr key={permission}>
                <th scope="row">{texts.permissions[permission]}</th>
                {pageRoles.map((role) => (
                  <td key={role}>
                    {permissionsOfRole[role].has(permission) ? (
                      <>
                        <Icon name="check" />
                        <span class="visually-hidden">{texts.yes}</span>
                      </>
                    ) : (
                      <>
                        <span aria-hidden="true">–</span>
                        <span class="visually-hidden">{texts.no}</span>
                      </>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}
