// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs all tests of this package in one JVM, whose flags the parent selected. */
final class CheckedRun {
  private CheckedRun() {}

  public static void main(String[] arguments) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectPackage("dev.tenon"))
                .filters(
                    TagFilter.excludeTags("child"),
                    ClassNameFilter.includeClassNamePatterns(".*Test"))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    summary
        .getFailures()
        .forEach(
            failure -> {
              System.out.println(failure.getTestIdentifier().getDisplayName());
              failure.getException().printStackTrace(System.out);
            });
    System.out.println(
        "CheckedRun: "
            + summary.getTestsFailedCount()
            + " failed, "
            + summary.getTestsSucceededCount()
            + " passed");
    System.exit(
        summary.getTestsFailedCount() == 0 && summary.getTestsSucceededCount() > 100 ? 0 : 1);
  }
}
