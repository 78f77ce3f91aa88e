/** Why events were not sent. */
export type Dropped = {
  /** They were no events: a status that HTTP does not have, no endpoint, no method. */
  invalid: number;
  /** 10,000 newer ones waited. */
  overflow: number;
  /** They waited for nine minutes. */
  tooOld: number;
  /** Heartline rejected them or their batch. */
  refused: number;
  /** They came after stop(), or waited when its time was over; or the options are wrong. */
  stopped: number;
};

/** `recorded` is the sum of everything else, at any time. */
export type ReporterStats = {
  recorded: number;
  /** Events that Heartline counted. */
  sent: number;
  /** Events in memory, with those on their way. */
  waiting: number;
  dropped: Dropped;
  /** Events of which nobody knows whether Heartline has them: their batch was given up after a lost answer. */
  uncertain: number;
};

/** Counts what becomes of events. */
export class Counts {
  recorded = 0;
  sent = 0;
  uncertain = 0;
  readonly dropped: Dropped = { invalid: 0, overflow: 0, tooOld: 0, refused: 0, stopped: 0 };

  stats(): ReporterStats {
    const { recorded, sent, uncertain } = this;
    const dropped = { ...this.dropped };
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    return { recorded, sent, waiting: recorded - sent - uncertain - lost, dropped, uncertain };
  }
}
