// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// The one function of Multicall3 that we call; its code is set at the known address.
contract Aggregate {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call[] calldata calls) external payable virtual returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            require(results[i].success || calls[i].allowFailure, "call failed");
        }
    }
}

/// Something else at that address, which answers in the same form.
contract FalseAggregate is Aggregate {
    function aggregate3(Call[] calldata calls) external payable override returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) results[i] = Result(true, abi.encode(uint256(1)));
    }
}
