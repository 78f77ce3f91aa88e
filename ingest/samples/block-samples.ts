import { limits } from '../../contract/limits.js';
import type { Sample, SampleGroup } from './sample.js';
import { groupBytesMax, writeGroups } from './sample.js';

/** Types of error of one endpoint, method, status and minute; events of further ones have no samples. */
const groupsOfRowMax = 50;
/** Bytes of the samples of a block, and of one page in it. Further events have no samples, and count all the same. */
const bytesMax = { block: 8 * 1024 * 1024, page: 2 * 1024 * 1024 };

/** The samples of the rows of a block: of each type of error, the newest. */
export class BlockSamples {
  private readonly ofRow = new Map<number, Map<string, SampleGroup>>();
  private readonly ofPage = new Map<string, number>();
  /** At least the bytes of all texts of samples. */
  bytes = 0;

  /** Adds the sample of an event in a row of a page. */
  add(row: number, pageBytes: Buffer, sample: Sample): void {
    const group = this.groupOf(row, pageBytes, sample.errorType);
    if (group === undefined) return;
    group.seen += 1;
    if (sample.json !== '') this.keep(group, pageBytes, sample);
  }

  /** Adds samples of another block, or of a text. */
  addGroups(row: number, pageBytes: Buffer, groups: Iterable<SampleGroup>): void {
    for (const { errorType, seen, kept } of groups) {
      const group = this.groupOf(row, pageBytes, errorType);
      if (group === undefined) continue;
      group.seen += seen;
      for (const sample of kept) this.keep(group, pageBytes, sample);
    }
  }

  /** Returns the samples of a row; `undefined` when it has none. */
  groups(row: number): Iterable<SampleGroup> | undefined {
    return this.ofRow.size === 0 ? undefined : this.ofRow.get(row)?.values();
  }

  /** Returns the samples of a row as writeGroups() writes them; `undefined` when it has none. */
  textOf(row: number): string | undefined {
    const groups = this.groups(row);
    return groups === undefined ? undefined : writeGroups(groups);
  }

  clear(): void {
    if (this.ofRow.size === 0) return;
    this.ofRow.clear();
    this.ofPage.clear();
    this.bytes = 0;
  }

  private groupOf(row: number, pageBytes: Buffer, errorType: string): SampleGroup | undefined {
    const ofRow = this.ofRow.get(row) ?? new Map<string, SampleGroup>();
    const known = ofRow.get(errorType);
    if (known !== undefined) return known;
    if (ofRow.size === groupsOfRowMax || !this.takeRoom(pageBytes, groupBytesMax)) return undefined;
    const group: SampleGroup = { errorType, seen: 0, kept: [] };
    ofRow.set(errorType, group);
    this.ofRow.set(row, ofRow);
    return group;
  }

  /** Keeps a sample if it is among the newest of its group. The order in which samples come makes no difference. */
  private keep({ kept }: SampleGroup, pageBytes: Buffer, sample: Sample): void {
    const isFull = kept.length === limits.samplesPerMinute;
    const oldest = kept.at(-1);
    if (isFull && oldest !== undefined && !isBefore(sample, oldest)) return;
    const freed = isFull && oldest !== undefined ? sizeOf(oldest) : 0;
    if (!this.takeRoom(pageBytes, sizeOf(sample) - freed)) return;
    if (isFull) kept.pop();
    const place = kept.findIndex((other) => isBefore(sample, other));
    kept.splice(place === -1 ? kept.length : place, 0, sample);
  }

  /** Counts bytes when both bounds leave room for them. */
  private takeRoom(pageBytes: Buffer, more: number): boolean {
    const page = pageBytes.toString('latin1');
    const ofPage = (this.ofPage.get(page) ?? 0) + more;
    if (ofPage > bytesMax.page || this.bytes + more > bytesMax.block) return false;
    this.ofPage.set(page, ofPage);
    this.bytes += more;
    return true;
  }
}

/** With a comma. */
const sizeOf = ({ json }: Sample): number => Buffer.byteLength(json) + 1;

/** Newer samples come first; of two in the same millisecond, the one with the lesser text. */
function isBefore(sample: Sample, other: Sample): boolean {
  return sample.at === other.at ? sample.json < other.json : sample.at > other.at;
}
