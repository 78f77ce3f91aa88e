/** Folders of the second tier, `npm run test:system`: they kill, suspend and confine whole stores, services and browsers. */
const systemFolders = ['browser', 'cluster', 'deploy', 'faults', 'stack'];

export function isSystemTest(file: string): boolean {
  return systemFolders.some((folder) => file.startsWith(`${folder}/`));
}
